//! Arbitrary bytes as check reports read by `merge` and `diff`: an error that names the report, or a report that can be
//! written in every form.

use clearance_check::{Form, Report, diff, merge};

const FORMS: [Form; 5] = [Form::Text, Form::Json, Form::Markdown, Form::Csv, Form::Junit];

/// Reads the bytes as one report, or as two separated by a zero byte, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut reports = Vec::new();
    for (number, data) in data.splitn(2, |&byte| byte == 0).enumerate() {
        let Ok(text) = str::from_utf8(data) else { return };
        let path = format!("{number}.json");
        match Report::parse(&path, text) {
            Ok(report) => reports.push(report),
            Err(error) => {
                assert!(error.to_string().starts_with(&path), "{error}");
                return;
            }
        }
    }
    for report in &reports {
        written(report);
    }
    let Some((first, last)) = reports.first().zip(reports.last()) else { return };
    for form in [Form::Text, Form::Json, Form::Markdown] {
        let text = diff(first, last, form).expect("numbers that were read");
        assert!(!text.is_empty());
    }
    for reports in [reports.clone(), vec![first.clone()]] {
        let named = reports.into_iter().enumerate().map(|(number, report)| (format!("{number}.json").into(), report));
        match merge(named.collect()) {
            Ok(merged) => written(&merged),
            Err(error) => assert!(!error.to_string().is_empty(), "{error:?}"),
        }
    }
}

/// Writes a report in every form, and reads its JSON again.
fn written(report: &Report) {
    for form in FORMS {
        let text = form.write(report, form == Form::Text).expect("numbers that were read");
        assert!(!text.is_empty());
        if form == Form::Json {
            let again = Report::parse("again.json", &text).expect("a report that was written");
            assert_eq!(again, *report);
        }
    }
}
