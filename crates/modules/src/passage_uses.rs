//! What the code of a memory module can look at of a passage, by the names that stand in it. Only that is sent with a question: most
//! rules look at a few numbers, and the texts of a hundred passages are most of a request.

use serde::{Deserialize, Serialize};

use crate::{
    features::PassageFeatures,
    passage::{RankRequest, RankedPassage},
};

/// A name that makes names: with it any number may be looked at.
const MAKES_NAMES: &str = "string->symbol";

/// What of a passage is looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "parts of a passage, each by itself")]
pub struct PassageUses {
    /// Their texts.
    pub texts: bool,
    /// Who said them.
    pub speakers: bool,
    /// When they were said.
    pub times: bool,
    /// The numbers, one for each of [`PassageFeatures::NAMES`] and in their order.
    pub features: Vec<bool>,
}

impl PassageUses {
    /// Those of a code without comments. A name within another one counts as well: too much is sent rather than too little.
    pub(crate) fn of(code: &str) -> Self {
        let all = code.contains(MAKES_NAMES);
        // A name is quoted by itself, or stands in something that is: `rank` is the name of the procedure as well.
        let has_quoted = ["'(", "' ", "'\n", "`", "quote"].into_iter().any(|it| code.contains(it));
        let is_used = |name: &&str| {
            all || code.contains(&format!("'{name}")) || (has_quoted && code.contains(*name))
        };
        Self {
            texts: code.contains("passage-text"),
            speakers: code.contains("passage-speaker"),
            times: code.contains("passage-at"),
            features: PassageFeatures::NAMES.iter().map(is_used).collect(),
        }
    }

    /// The request without what is not looked at.
    pub(crate) fn keep(&self, request: &mut RankRequest) {
        for passage in &mut request.passages {
            self.keep_of(passage);
        }
    }

    fn keep_of(&self, passage: &mut RankedPassage) {
        if !self.texts {
            passage.text.clear();
        }
        if !self.speakers {
            passage.speaker.clear();
        }
        if !self.times {
            passage.at = 0.0;
        }
        let mut values = passage.features.values();
        for (value, is_used) in values.iter_mut().zip(&self.features) {
            if !is_used {
                *value = 0.0;
            }
        }
        passage.features = PassageFeatures::from_values(values);
    }
}

#[cfg(test)]
mod tests {
    use super::PassageUses;
    use crate::{
        features::PassageFeatures,
        passage::{PassageRole, RankRequest, RankedPassage},
    };

    fn kept(code: &str) -> RankedPassage {
        let features =
            PassageFeatures { score: 0.5, words: 2.0, rank: 3.0, ..PassageFeatures::default() };
        let passage = RankedPassage {
            id: 1,
            text: "tea".into(),
            speaker: "ann".into(),
            role: PassageRole::Person,
            at: 1.0,
            features,
        };
        let mut request =
            RankRequest { question: "q".into(), asker: None, now: 2.0, passages: vec![passage] };
        PassageUses::of(code).keep(&mut request);
        request.passages.remove(0)
    }

    #[test]
    fn what_code_does_not_name_is_not_sent_to_it() {
        let by_score = kept("(sort-by-descending (lambda (p) (feature p 'score)) passages)");
        assert_eq!((&*by_score.text, &*by_score.speaker), ("", ""));
        assert!(by_score.features.score > 0.0 && by_score.features.words == 0.0);
        assert!(by_score.at == 0.0 && kept("(passage-at p)").at > 0.0);
        let named = "(define (rank q p n) (map (lambda (p) (feature p 'score)) p))";
        assert!(kept(named).features.rank == 0.0, "a procedure is no feature");
        for code in ["(feature p 'rank)", "(car '(rank))", "(feature p (quote rank))", "`(rank)"] {
            assert!(kept(code).features.rank > 0.0, "{code}");
        }
        assert_eq!(kept("(passage-text p)").text, "tea");
        assert_eq!(kept("(passage-speaker p)").speaker, "ann");
        let any = kept("(feature p (string->symbol (string-append \"wo\" \"rds\")))");
        assert!(any.features.words > 0.0, "a name may be made");
    }
}
