//! A script of ours in Python that stays open: a line asks, a line answers. So both sides of a race can take turns.

use super::install;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// An open script.
pub struct Talk {
    /// What is asked, for messages.
    peer: &'static str,
    process: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Talk {
    /// Starts a script in a Python with these packages. Its first line is the version of the peer, with which `name`
    /// has to end; the error says why the peer is absent.
    pub fn start(name: &'static str, script: &str, text: &str, packages: &[&str]) -> Result<Talk, String> {
        let peer = name.split(' ').next().unwrap_or(name);
        let (mut program, _) = install::script(script, text, packages)?;
        let started = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut process = started.map_err(|error| format!("{program:?} does not start: {error}"))?;
        let (questions, answers) = (process.stdin.take(), process.stdout.take());
        let answers = BufReader::new(answers.ok_or("cannot read from the script")?);
        let mut talk = Talk { peer, process, questions, answers };
        let version = talk.line()?;
        match name.ends_with(&format!(" {version}")) {
            true => Ok(talk),
            false => Err(format!("{peer} is there as {version}, not as {name}")),
        }
    }

    /// Asks with a line of text. An answer that begins with `! ` is an error.
    pub fn ask(&mut self, question: &str) -> Result<String, String> {
        if question.contains('\n') {
            return Err("a query that is not a single line of text".into());
        }
        let peer = self.peer;
        let questions = self.questions.as_mut().ok_or("cannot write to the script")?;
        writeln!(questions, "{question}")
            .and_then(|()| questions.flush())
            .map_err(|error| format!("{peer}: {error}"))?;
        let answer = self.line()?;
        match answer.strip_prefix("! ") {
            Some(problem) => Err(format!("{peer}: {problem}")),
            None => Ok(answer),
        }
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err(format!("{} ended without an answer", self.peer)),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(format!("{}: {error}", self.peer)),
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // The script ends with its input.
        self.questions = None;
        let _ = self.process.wait();
    }
}
