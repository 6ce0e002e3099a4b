//! What a confined start is told, as its command line: the shim writes it, or the stage before.
//!
//! As the shim's, it never carries the environment.

use std::{ffi::OsString, path::PathBuf};

use crate::confinement::Confinement;

const STAGE: &str = "--stage";

/// Which of the processes between the shim and the program this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConfineStage {
    /// The first; at level 1 the only one.
    Enter,
    /// The first process of new namespaces.
    Init,
    /// The one that becomes the program there.
    Program,
}

impl ConfineStage {
    const ALL: [Self; 3] = [Self::Enter, Self::Init, Self::Program];

    fn word(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Init => "init",
            Self::Program => "program",
        }
    }
}

/// One confined start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfineOrder {
    pub(crate) stage: ConfineStage,
    pub(crate) confinement: Confinement,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
}

impl ConfineOrder {
    /// The command line that [`Self::parse`] reads, for a given stage.
    pub(crate) fn to_args(&self, stage: ConfineStage) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec![STAGE.into(), stage.word().into()];
        args.extend(self.confinement.to_args());
        args.extend(["--".into(), self.program.clone().into()]);
        args.extend(self.args.iter().cloned());
        args
    }

    /// `None` for a command line that no shim writes.
    pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut stage = None;
        let mut confinement = None;
        loop {
            let name = args.next()?;
            match name.to_str()? {
                "--" => break,
                STAGE => {
                    let word = args.next()?;
                    stage = ConfineStage::ALL.into_iter().find(|stage| word == stage.word());
                }
                name => Confinement::take(&mut confinement, name, &mut args)?.ok()?,
            }
        }
        let program = args.next()?.into();
        Some(Self { stage: stage?, confinement: confinement?, program, args: args.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::{ConfineOrder, ConfineStage};
    use crate::confinement::{Confinement, ConfinementLevel, NetworkAccess};

    #[test]
    fn an_order_survives_its_command_line_and_nothing_less_is_one() {
        for stage in ConfineStage::ALL {
            let order = ConfineOrder {
                stage,
                confinement: Confinement {
                    level: ConfinementLevel::Restricted,
                    network: NetworkAccess::Open,
                    read: vec!["/usr/lib".into()],
                    write: vec!["--".into()],
                },
                program: "--".into(),
                args: vec!["--level".into(), "".into()],
            };
            let args = order.to_args(stage);
            assert_eq!(ConfineOrder::parse(args.clone().into_iter()), Some(order));
            for count in 0..args.len() - 2 {
                assert_eq!(ConfineOrder::parse(args.iter().take(count).cloned()), None, "{count}");
            }
        }
    }
}
