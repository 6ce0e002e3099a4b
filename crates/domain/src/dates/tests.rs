//! The table of what people say, at one moment and in one zone, and what is not to be taken for a date.

use proptest::prelude::*;

use super::{DateGrain, DateMention, annotate, find_dates};
use crate::{Timestamp, Zone};

/// Thursday 26 March 2026, half past midnight in Berlin: the 25th in UTC, and three days before the clocks go forward.
fn said(text: &str) -> Vec<DateMention> {
    find_dates(text, "2026-03-25T23:30:00Z".parse().unwrap(), &berlin())
}

fn berlin() -> Zone {
    Zone::named("Europe/Berlin").unwrap()
}

/// What one mention means: `03-27 09:00`, `~` before what is about or a part of a day, `|` between two readings.
fn meant(text: &str) -> String {
    let mentions = said(text);
    let [mention] = mentions.as_slice() else { return format!("{} mentions", mentions.len()) };
    if let Some(problem) = mention.problem {
        return format!("{problem:?}");
    }
    let readings = mention.readings.iter().map(|reading| {
        let form = if reading.grain == DateGrain::Minute { "%m-%d %H:%M" } else { "%m-%d" };
        let about = if reading.is_approximate || reading.part.is_some() { "~" } else { "" };
        let about = if reading.grain == DateGrain::Minute { "" } else { about };
        format!("{about}{}", reading.civil.strftime(form))
    });
    readings.collect::<Vec<_>>().join("|")
}

fn check(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (texts, expected) in table {
        for text in texts.split('|') {
            let found = meant(text);
            if found != *expected {
                wrong.push(format!("{text}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_people_say_means_these_days() {
    check(&[
        ("yesterday|gestern|hier|ayer", "03-25"),
        ("vorgestern|avant-hier|anteayer|the day before yesterday", "03-24"),
        ("übermorgen|après-demain|pasado mañana|the day after tomorrow", "03-28"),
        ("last Friday|letzten Freitag|vendredi dernier|el viernes pasado", "03-20"),
        ("next Monday|nächsten Montag|lundi prochain|el lunes que viene", "03-30"),
        ("two weeks ago|vor zwei Wochen|il y a deux semaines|hace dos semanas", "03-12"),
        ("in three days|in drei Tagen|dans trois jours|en tres días", "03-29"),
        ("tomorrow at 9|demain à 9 h|mañana a las 9", "03-27 09:00"),
        ("morgen um halb neun", "03-27 08:30"),
        ("morgen früh|demain matin|mañana por la mañana|tomorrow morning", "~03-27"),
        ("am Dienstagabend|mardi soir|el martes por la noche|on Tuesday evening", "~03-31"),
        ("at the end of the month|am Ende des Monats|à la fin du mois|a finales de mes", "~03-31"),
        ("the day after tomorrow at noon", "03-28 12:00"),
        ("in 96 hours|in 96 Stunden|dans 96 heures", "03-30 01:30"),
        ("on the 3rd|Freitag in einer Woche", "04-03"),
        ("le 3 avril à midi|el 3 de abril al mediodía", "04-03 12:00"),
        ("heute in acht Tagen|de hoy en ocho", "04-02"),
        ("dans quinze jours", "04-09"),
        ("Sunday 2:30|Sonntag um 2:30 Uhr", "SkippedTime"),
        ("next Friday", "03-27|04-03"),
        ("30 February|30. Februar|30 février|30 de febrero", "NoSuchDay"),
    ]);
}

/// Sentences that were written down before the rules were run on them.
#[test]
fn what_was_kept_back_is_read_as_well() {
    check(&[
        ("the meeting is tomorrow at 3 pm", "03-27 15:00"),
        ("let's meet at noon on Saturday", "03-28 12:00"),
        ("call me at 5pm tomorrow", "03-27 17:00"),
        ("I saw her three days ago", "03-23"),
        ("the invoice is due on April 15th", "04-15"),
        ("see you a week from tomorrow", "04-03"),
        ("Friday next week", "04-03"),
        ("we moved here last month", "02-01"),
        ("half past seven tomorrow evening", "03-27 19:30"),
        ("on Monday, 6 April 2026", "04-06"),
        ("in a fortnight", "04-09"),
        ("Treffen übermorgen um 14 Uhr 30", "03-28 14:30"),
        ("Ich war gestern Abend im Kino", "~03-25"),
        ("am nächsten Mittwoch um viertel nach acht", "04-01 08:15"),
        ("vor drei Tagen", "03-23"),
        ("Abgabe bis zum 15. April", "04-15"),
        ("in einem Monat", "04-26"),
        ("nächste Woche Dienstag", "03-31"),
        ("am 5.4. um 10:15 Uhr", "04-05 10:15"),
        ("Ende April", "~04-30"),
        ("rendez-vous demain soir à 20h30", "03-27 20:30"),
        ("on se voit samedi matin", "~03-28"),
        ("il est parti il y a trois jours", "03-23"),
        ("la semaine prochaine", "03-30"),
        ("le 1er mai à 14 h", "05-01 14:00"),
        ("dans deux heures", "03-26 02:30"),
        ("vendredi en huit", "04-03"),
        ("quedamos el sábado a las 8 de la noche", "03-28 20:00"),
        ("hace tres días", "03-23"),
        ("anoche", "~03-25"),
        ("el próximo lunes", "03-30"),
        ("la semana que viene", "03-30"),
        ("dentro de dos horas", "03-26 02:30"),
        ("esta tarde a las cinco", "03-26 17:00"),
        ("on Sunday at 3:30 am", "03-29 03:30"),
        ("2026-10-25 02:30", "10-25 02:30|10-25 02:30"),
        ("31 April", "NoSuchDay"),
        ("Freitag, 4. April 2026", "OtherWeekday"),
        ("03/04/2026", "04-03|03-04"),
        ("25/12/2026", "12-25"),
    ]);
}

#[test]
fn what_only_looks_like_a_date_is_left_alone() {
    for text in [
        "Guten Morgen, wie geht es dir?",
        "Ich bin hier und warte",
        "we meet every Monday",
        "jeden Morgen um neun",
        "los lunes hay mercado",
        "le lundi je travaille",
        "take the second door on the 3rd floor",
        "I may go in a moment",
        "version 3.4.1 and 1.5 hours of work",
        "he is 30 years old and owes me 3 euros",
        "the morning after pill",
        "I am on 3 lists",
        "à la maison",
        "12 * 7",
        "10.0.0.1 port 8080",
        "",
    ] {
        assert_eq!(meant(text), "0 mentions", "{text}");
    }
}

#[test]
fn accents_and_case_and_their_spelling_do_not_matter() {
    check(&[
        ("MANANA a las 9|ma\u{6e}\u{303}ana a las 9|Mañana a las 9", "03-27 09:00"),
        ("uebermorgen|u\u{308}bermorgen|ÜBERMORGEN", "03-28"),
        ("apre\u{300}s\u{2011}demain|APRÈS-DEMAIN", "03-28"),
        ("d’aujourd’hui|aujourd'hui", "03-26"),
    ]);
}

#[test]
fn days_are_counted_on_the_calendar_and_hours_on_the_clock() {
    let days = &said("in three days")[0].readings[0];
    let hours = &said("in 72 hours")[0].readings[0];
    assert_eq!(days.at.to_string(), "2026-03-28T23:00:00.000000Z", "the day begins in winter time");
    assert_eq!(hours.at.to_string(), "2026-03-28T23:30:00.000000Z");
    assert_eq!(hours.civil.to_string(), "2026-03-29T00:30:00");
    assert_eq!((days.grain, hours.grain), (DateGrain::Day, DateGrain::Minute));
}

#[test]
fn a_mention_keeps_its_words_its_place_and_its_zone() {
    let text = "Lunch, übermorgen at noon?";
    let [mention] = <[DateMention; 1]>::try_from(said(text)).unwrap();
    assert_eq!(mention.words, "übermorgen at noon");
    assert_eq!(&text[mention.start..mention.end], mention.words);
    assert_eq!(mention.zone, "Europe/Berlin");
    assert_eq!(mention.readings[0].at.to_string(), "2026-03-28T11:00:00.000000Z");
}

#[test]
fn a_text_is_shown_with_the_dates_that_it_meant_when_it_was_said() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let sunday = at("2026-03-22T17:00:00Z");
    for (text, shown) in [
        ("the dentist is tomorrow at 9", "the dentist is tomorrow at 9 (Mon 2026-03-23 09:00)"),
        (
            "next Friday or 30 February?",
            "next Friday (Fri 2026-03-27) or 30 February (there is no such day)?",
        ),
        ("due 2026-04-01, nächste Woche", "due 2026-04-01, nächste Woche (week of Mon 2026-03-23)"),
        ("at the end of the month", "at the end of the month (about Tue 2026-03-31)"),
        ("nothing", "nothing"),
    ] {
        assert_eq!(annotate(text, sunday, &berlin()), shown);
    }
    let tokyo = Zone::named("+09:00").unwrap();
    assert_eq!(
        super::annotate_for("tomorrow at 9", sunday, &tokyo, &berlin()),
        "tomorrow at 9 (Tue 2026-03-24 09:00 +09:00)",
        "it was Monday in Tokyo already"
    );
    let twice = annotate("2026-10-25 02:30", sunday, &berlin());
    assert_eq!(twice, "2026-10-25 02:30", "what is written out stands as it is");
}

#[test]
fn a_sentence_about_the_past_leaves_both_readings() {
    check(&[
        ("I was at the doctor on Monday", "03-23|03-30"),
        ("Wir waren am Montag im Zoo", "03-23|03-30"),
        ("on Monday I go to the doctor", "03-30"),
        ("am 20. März", "03-20|03-20"),
    ]);
}

proptest! {
    #[test]
    fn no_text_panics_and_places_lie_in_the_text(
        text in "\\PC{0,40}|((next|last|in|am|el|le|at|h|a|um|halb|Monday|mañana|übermorgen|avril|Ende|des|Monats|ago|[0-9]{1,4}|\\.|:|-|/|'|\u{303}) ?){0,14}",
        micros in -62_135_596_800_000_000_i64..253_402_207_200_000_000,
    ) {
        let at = Timestamp::from_micros(micros);
        let mut before = 0;
        for mention in find_dates(&text, at, &berlin()) {
            prop_assert!(mention.start >= before && mention.start < mention.end);
            prop_assert_eq!(text.get(mention.start..mention.end), Some(mention.words.as_str()));
            prop_assert_eq!(mention.problem.is_some(), mention.readings.is_empty());
            for reading in &mention.readings {
                if reading.grain == DateGrain::Minute {
                    prop_assert_eq!(berlin().civil(reading.at), reading.civil, "no time is shifted");
                }
            }
            before = mention.end;
        }
        drop(annotate(&text, at, &berlin()));
    }
}
