//! Grants from real folders: what a program gets, and what nobody gets.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::{GrantSource, Grants, grants};

/// A user's folder with a home of a keeper in it, an environment of Python and a project.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scene = Self { folder };
        for file in [
            "u/.abide/token",
            "u/.abide/bots/bot.py",
            "u/.abide/agents/felix/work/x",
            "u/.ssh/id",
            "u/venv/lib/python3/site.py",
            "u/venv/share/data",
            "u/project/src/main.py",
            "u/project/package.json",
            "u/base/bin/python3",
            "u/base/lib/os.py",
            "u/loose.py",
            "u/.local/lib/python3/packages.py",
            "u/.local/share/keyring",
        ] {
            scene.write(file, "");
        }
        scene.write(
            "u/venv/pyvenv.cfg",
            &format!("home = {}\n", scene.path("u/base/bin").display()),
        );
        fs::create_dir(scene.path("u/venv/bin")).unwrap();
        symlink(scene.path("u/base/bin/python3"), scene.path("u/venv/bin/python")).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn grants(
        &self,
        program: &str,
        args: &[&str],
        folder: &str,
        write: &[&str],
    ) -> Result<Grants, String> {
        let (home, user, folder) = (self.path("u/.abide"), self.path("u"), self.path(folder));
        let args: Vec<String> = args.iter().map(|&word| word.to_owned()).collect();
        let write: Vec<String> = write.iter().map(|&word| word.to_owned()).collect();
        let path = format!("{}:{}", self.path("u/base/bin").display(), self.path("u").display());
        let source = GrantSource {
            home: &home,
            user: Some(&user),
            program: Path::new(program),
            args: &args,
            folder: &folder,
            environment: &[("PATH".into(), path.into())],
            read: &[],
            write: &write,
        };
        grants(&source, &[self.path("u/.abide/agents/felix/work")])
            .map_err(|error| error.to_string())
    }

    /// What is granted of the files of this scene, to be read.
    fn readable(&self, grants: &Grants, name: &str) -> bool {
        grants.read.iter().chain(&grants.write).any(|path| self.path(name).starts_with(path))
    }
}

const WORK: &str = "u/.abide/agents/felix/work";

#[test]
fn a_program_gets_its_environment_its_base_and_its_project_and_not_what_lies_around_them() {
    let scene = Scene::new();
    let python = scene.path("u/venv/bin/python");
    let main = scene.path("u/project/src/main.py");
    let words = [main.to_str().unwrap()];
    let granted = scene.grants(python.to_str().unwrap(), &words, WORK, &[]).unwrap();
    for name in [
        "u/venv/bin/python",
        "u/venv/lib/python3/site.py",
        "u/venv/pyvenv.cfg",
        "u/base/lib/os.py",
        "u/project/src/main.py",
        "u/project/package.json",
        "u/.local/lib/python3/packages.py",
    ] {
        assert!(scene.readable(&granted, name), "{name}: {granted:?}");
    }
    for name in [
        "u/.abide/token",
        "u/.ssh/id",
        "u/venv/share/data",
        "u/loose.py",
        "u/.abide/agents",
        "u/.local/share/keyring",
    ] {
        assert!(!scene.readable(&granted, name), "{name}: {granted:?}");
    }
    assert_eq!(granted.write, [scene.path(WORK)]);
}

#[test]
fn a_script_in_the_users_or_the_keepers_folder_is_granted_alone_and_the_keepers_own_files_never() {
    let scene = Scene::new();
    let [loose, bot, token] =
        ["u/loose.py", "u/.abide/bots/bot.py", "u/.abide/token"].map(|name| scene.path(name));
    let words = [&loose, &bot, &token].map(|path| path.to_str().unwrap());
    let granted = scene.grants("python3", &words, WORK, &[]).unwrap();
    assert!(granted.read.contains(&loose) && granted.read.contains(&bot), "{granted:?}");
    assert!(!scene.readable(&granted, "u/.abide/token") && !scene.readable(&granted, "u/.ssh/id"));
}

#[test]
fn what_would_open_the_home_is_refused() {
    let scene = Scene::new();
    let home = scene.path("u/.abide");
    for write in ["~/", "/", "~/.abide/ledger", home.to_str().unwrap(), "data"] {
        assert!(scene.grants("python3", &[], WORK, &[write]).is_err(), "{write}");
    }
    assert!(scene.grants("python3", &[], "u", &[]).unwrap_err().contains("token"));
    assert!(scene.grants("python3", &[], "u/project", &["~/.ssh"]).is_ok());
}

#[test]
fn nothing_is_opened_by_name_in_a_folder_that_the_process_writes() {
    let scene = Scene::new();
    let main = scene.path("u/project/src/main.py");
    let granted = scene
        .grants("python3", &[main.to_str().unwrap()], "u/project", &["~/project/src"])
        .unwrap();
    assert_eq!(granted.write, [scene.path(WORK), scene.path("u/project")]);
    assert!(
        !granted.read.iter().any(|path| path.starts_with(scene.path("u/project"))),
        "{granted:?}"
    );
}
