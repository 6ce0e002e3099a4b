//! Programs that run or write what their arguments name: shells, interpreters, editors, pagers, wrappers, builders.
//!
//! The lists serve two questions: whether a rule for a program may end in `*`, and, where something is denied, whether a
//! line could run that in another spelling. They are not complete and cannot be; what holds in any case is the sandbox.

/// Programs whose arguments are programs, scripts or commands, or files that they write.
const RUNS_ITS_ARGUMENTS: &str = "
    ansible ansible-playbook ant ash at awk
    bash batch bazel bc bpftrace bun busybox bwrap
    capsh cgexec chroot chrt clisp cmake cpan cpio crontab csh curl
    dash dc deno direnv doas docker dotnet
    ed elixir elvish emacs emacsclient entr env erl escript ex expect
    fab fakeroot faketime find firejail fish flock ftp
    gawk gdb gdbserver ghci gnuplot gradle groovy guile
    hx
    ionice ipython irb
    java jdb joe jshell julia jupyter just
    kak kotlin ksh kubectl
    latex ld.so less lldb ltrace lua luajit lualatex
    m4 make man mawk mcedit meson micro mksh mono more most mvn mysql
    nano nawk nc ncat netcat nice ninja nix nix-shell node nodejs nohup nox npx nsenter numactl nvim
    ocaml openssl osascript
    parallel pdflatex perf perl php pico pipx pkexec podman posh prlimit proot psql pwsh pypy python
    qemu
    r racket raku rake rbash rg rksh rlwrap rr rscript rsync ruby run-parts runghc runhaskell runuser rvim
    sbcl scala scons scp screen script sed setarch setpriv setsid sftp sg sh socat sort sqlite sqlite3 ssh sshpass
    start-stop-daemon stdbuf strace su sudo swift systemd-run
    tar task taskset tclsh tcsh tee telnet terraform time timeout tmux tox toybox ts-node tsx
    unbuffer uniq unshare uv uvx
    valgrind vi view vim vimdiff
    watch wget wine wish
    xargs xelatex xterm xvfb-run
    yash
    zip zsh
";
/// Programs with commands of their own: a rule that ends in `*` names one.
const HAS_COMMANDS: &str = "
    apk apt apt-get asdf aws az brew bundle busctl cargo composer conda corepack dnf flatpak gcloud gem gh git go hatch
    helm hg ip jj machinectl mise npm nvm pacman pdm pip pipenv pnpm poetry pyenv rbenv rustup snap svn systemctl vagrant
    volta yarn yum zypper
";
/// Commands of such programs that run what their arguments name, or decide what others run.
const COMMANDS_THAT_RUN: &[(&str, &str)] = &[
    ("apt", "install"),
    ("apt-get", "install"),
    ("bundle", "config exec"),
    ("cargo", "config install"),
    ("composer", "config exec"),
    ("conda", "config run"),
    ("gh", "alias codespace config extension"),
    (
        "git",
        "bisect config credential daemon difftool filter-branch for-each-repo help hook instaweb maintenance mergetool \
         send-email shell submodule",
    ),
    ("go", "env generate run tool vet"),
    ("npm", "config create edit exec explore init innit set x"),
    ("pip", "config install wheel"),
    ("pnpm", "config create dlx exec"),
    ("rustup", "run"),
    ("systemctl", "edit import-environment link set-environment"),
    ("yarn", "config create dlx exec node"),
];
/// Commands of that kind which any such program may have; `run` is left to those that are named above.
const COMMANDS_THAT_RUN_ANYWHERE: &str = "exec shell";

/// Long options by which many programs are given another one to run, or settings that do.
const OPTIONS_THAT_RUN: &str = "
    --cmd --command --config --config-env --editor --exec --exec-path --ext-diff --extcmd --open-files-in-pager --pager
    --pre --receive-pack --rsh --script-shell --textconv --to-command --upload-pack --use-compress-program
";
/// Short ones of programs with commands.
const SHORT_OPTIONS_THAT_RUN: [&str; 2] = ["-O", "-x"];

/// Whether a program runs or writes what its arguments name.
pub(super) fn runs_its_arguments(program: &str) -> bool {
    spellings(program).any(|name| is_listed(RUNS_ITS_ARGUMENTS, &name))
}

/// Whether a program has commands of its own, such as `git`.
pub(super) fn has_commands(program: &str) -> bool {
    spellings(program).any(|name| is_listed(HAS_COMMANDS, &name))
}

/// Whether a command of such a program runs what its arguments name, such as `git bisect`.
pub(super) fn command_runs_its_arguments(program: &str, command: &str) -> bool {
    let is_of = |name: &str| {
        let of_program = COMMANDS_THAT_RUN.iter().filter(|(known, _)| *known == name);
        of_program.into_iter().any(|(_, commands)| is_listed(commands, command))
    };
    has_commands(program)
        && (is_listed(COMMANDS_THAT_RUN_ANYWHERE, command)
            || spellings(program).any(|name| is_of(&name)))
}

/// Whether an argument is an option that names what is run, shortened ones included.
pub(super) fn is_option_that_runs(program: &str, argument: &str) -> bool {
    let name = argument.split('=').next().unwrap_or_default();
    let is_long = name.len() > "--".len()
        && name.starts_with("--")
        && OPTIONS_THAT_RUN.split_whitespace().any(|known| known.starts_with(name));
    let is_short = SHORT_OPTIONS_THAT_RUN.iter().any(|known| argument.starts_with(known));
    is_long || (is_short && has_commands(program))
}

fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

/// A program's name as it is, and without version or variant: `python3.11`, `vim.basic`, `bash-static`, `Rscript`.
fn spellings(program: &str) -> impl Iterator<Item = String> {
    let name = program.to_ascii_lowercase();
    let stem = name.split(['.', '-']).next().unwrap_or_default().to_owned();
    let bare = |name: &str| {
        name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')).to_owned()
    };
    let (bare_name, bare_stem) = (bare(&name), bare(&stem));
    [name, stem, bare_name, bare_stem].into_iter()
}

#[cfg(test)]
mod tests {
    use super::{
        command_runs_its_arguments, has_commands, is_option_that_runs, runs_its_arguments,
    };

    #[test]
    fn programs_are_known_in_the_spellings_of_their_versions() {
        for program in [
            "sh",
            "bash-static",
            "python3.11",
            "python3",
            "Rscript",
            "vim.basic",
            "lua5.4",
            "gawk-5.1.0",
            "run-parts",
            "docker-compose",
            "sqlite3",
            "ENV",
            "nodejs",
            "busybox.static",
        ] {
            assert!(runs_its_arguments(program), "{program}");
        }
        for program in ["cat", "ls", "wc", "git", "cargo", "grep", "shasum", "envsubst", "", "3"] {
            assert!(!runs_its_arguments(program), "{program}");
        }
        assert!(has_commands("git") && has_commands("pip3.12") && !has_commands("cat"));
    }

    #[test]
    fn commands_that_run_others_are_known_with_their_programs() {
        for (program, command) in
            [("git", "bisect"), ("pip3", "install"), ("npm", "exec"), ("mise", "exec")]
        {
            assert!(command_runs_its_arguments(program, command), "{program} {command}");
        }
        for (program, command) in [("git", "log"), ("npm", "run"), ("cat", "exec")] {
            assert!(!command_runs_its_arguments(program, command), "{program} {command}");
        }
    }

    #[test]
    fn options_that_run_are_known_when_they_are_shortened_or_joined_with_their_value() {
        for (program, argument) in
            [("git", "--upload-pack=./a"), ("git", "--upl"), ("git", "-x./a"), ("foo", "--exec")]
        {
            assert!(is_option_that_runs(program, argument), "{program} {argument}");
        }
        for (program, argument) in [
            ("git", "--oneline"),
            ("git", "--"),
            ("git", "-n"),
            ("git", "exec"),
            ("foo", "-x"),
            ("foo", "--exclude"),
            ("foo", "--color"),
        ] {
            assert!(!is_option_that_runs(program, argument), "{program} {argument}");
        }
    }
}
