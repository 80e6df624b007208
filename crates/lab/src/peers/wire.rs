//! The protocol with peers in other processes: a file with the job, a file with the answers, both little endian.
//!
//! A job about pairs of meshes: `CLRJOB01`, u64 repeats, u64 meshes, each `u64 points, u64 triangles, f64 x 3 a point,
//! u32 x 3 a triangle`, u64 queries, each `u32 mesh a, u32 mesh b, u32 question, pose a, pose b`; a pose is the
//! rotation row by row and the translation, 12 f64; the question is 0 first contact, 1 all contacts, 2 distance.
//!
//! Its answers: `CLRANS01`, the version as u64 bytes and UTF-8, f64 nanoseconds of an empty call, u64 meshes and f64
//! nanoseconds to build each, u64 queries and for each f64 nanoseconds as a median, f64 the least, f64 answer.
//!
//! A job about rays: `CLRRAY01`, u64 repeats, u64 1 for robust or 0, one mesh as above, u64 rays, each `f64 x 3 origin,
//! f64 x 3 direction`.
//!
//! Its answers: `CLRHIT01`, the version, f64 nanoseconds of an empty call, per ray in one call of all that meet
//! nothing, to build, per ray in one call of all; u64 rays asked alone and f64 nanoseconds of each; u64 rays and for
//! each `f64 t, f64 triangle`, with a negative triangle where there is no hit.

use super::question::{Found, MeshRay, PeerAnswer, PeerRun, Query, Question, RayHit, RayRun};
use crate::meshes::Model;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a peer asks each question for its median.
const REPEATS: u64 = 5;

/// Has `program`, with the job's and the answers' file as further arguments, answer queries about models.
pub fn ask_pairs(program: Command, folder: &Path, models: &[&Model], queries: &[Query]) -> Result<PeerRun, String> {
    let answers = exchange(program, folder, &pairs_job(models, queries)?)?;
    read_pairs(&answers, models.len(), queries)
}

/// The same about rays.
pub fn ask_rays(
    program: Command,
    folder: &Path,
    model: &Model,
    rays: &[MeshRay],
    robust: bool,
) -> Result<RayRun, String> {
    let answers = exchange(program, folder, &rays_job(model, rays, robust))?;
    read_rays(&answers, model, rays.len())
}

/// Writes the job, runs the program, reads the answers and removes both files.
fn exchange(mut program: Command, folder: &Path, job: &[u8]) -> Result<Vec<u8>, String> {
    struct Files([PathBuf; 2]);
    impl Drop for Files {
        fn drop(&mut self) {
            for path in &self.0 {
                let _ = std::fs::remove_file(path);
            }
        }
    }
    static JOBS: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
    let files = Files(["job", "answers"].map(|name| folder.join(format!("{name}-{process}-{number}.bin"))));
    let [job_path, answers_path] = &files.0;
    std::fs::write(job_path, job).map_err(|error| format!("{}: {error}", job_path.display()))?;
    let name = program.get_program().to_string_lossy().into_owned();
    let output = program.args(&files.0).output().map_err(|error| format!("{name} does not start: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name} failed ({}): {}", output.status, said.trim()));
    }
    std::fs::read(answers_path).map_err(|error| format!("{}: {error}", answers_path.display()))
}

fn pairs_job(models: &[&Model], queries: &[Query]) -> Result<Vec<u8>, String> {
    let mut job = b"CLRJOB01".to_vec();
    job.extend(REPEATS.to_le_bytes());
    job.extend((models.len() as u64).to_le_bytes());
    for model in models {
        put_model(&mut job, model);
    }
    job.extend((queries.len() as u64).to_le_bytes());
    for (number, query) in queries.iter().enumerate() {
        for model in query.models {
            if model >= models.len() {
                return Err(format!("query {number} is about mesh {model} of {}", models.len()));
            }
            job.extend((model as u32).to_le_bytes());
        }
        let question: u32 = match query.question {
            Question::FirstContact => 0,
            Question::AllContacts => 1,
            Question::Distance => 2,
        };
        job.extend(question.to_le_bytes());
        for pose in &query.poses {
            let rows = pose.rotation().transpose().to_cols_array();
            put(&mut job, rows.into_iter().chain(pose.translation().to_array()));
        }
    }
    Ok(job)
}

fn rays_job(model: &Model, rays: &[MeshRay], robust: bool) -> Vec<u8> {
    let mut job = b"CLRRAY01".to_vec();
    job.extend(REPEATS.to_le_bytes());
    job.extend(u64::from(robust).to_le_bytes());
    put_model(&mut job, model);
    job.extend((rays.len() as u64).to_le_bytes());
    for ray in rays {
        put(&mut job, ray.origin.to_array().into_iter().chain(ray.direction.to_array()));
    }
    job
}

fn put(job: &mut Vec<u8>, numbers: impl Iterator<Item = f64>) {
    numbers.for_each(|number| job.extend(number.to_le_bytes()));
}

fn put_model(job: &mut Vec<u8>, model: &Model) {
    job.extend((model.points.len() as u64).to_le_bytes());
    job.extend((model.triangles.len() as u64).to_le_bytes());
    put(job, model.points.iter().flatten().copied());
    model.triangles.iter().flatten().for_each(|vertex| job.extend(vertex.to_le_bytes()));
}

fn read_pairs(bytes: &[u8], models: usize, queries: &[Query]) -> Result<PeerRun, String> {
    let mut answers = Answers { bytes };
    answers.magic(b"CLRANS01")?;
    let (version, empty_call) = (answers.text()?, answers.number()?);
    answers.count(models, "meshes")?;
    let builds = answers.numbers(models)?;
    answers.count(queries.len(), "queries")?;
    let mut found = Vec::with_capacity(queries.len());
    for query in queries {
        let (nanoseconds, least, answer) = (answers.number()?, answers.number()?, answers.number()?);
        let found_one = match query.question {
            Question::FirstContact => Found::Meets(answer != 0.0),
            Question::AllContacts => Found::Pairs(answer as u64),
            Question::Distance => Found::Distance(answer),
        };
        found.push(PeerAnswer { found: found_one, nanoseconds, least });
    }
    answers.end()?;
    Ok(PeerRun { version, empty_call, builds, answers: found })
}

fn read_rays(bytes: &[u8], model: &Model, rays: usize) -> Result<RayRun, String> {
    let mut answers = Answers { bytes };
    answers.magic(b"CLRHIT01")?;
    let version = answers.text()?;
    let (empty_call, empty_batch) = (answers.number()?, answers.number()?);
    let (build, batch) = (answers.number()?, answers.number()?);
    let singles = answers.whole()?;
    if singles > rays as u64 {
        return Err(format!("the peer was given {rays} rays and answered {singles} alone"));
    }
    let singles = answers.numbers(singles as usize)?;
    answers.count(rays, "rays")?;
    let mut hits = Vec::with_capacity(rays);
    for _ in 0..rays {
        let (t, triangle) = (answers.number()?, answers.number()?);
        if triangle >= model.triangles.len() as f64 {
            return Err(format!("the peer hits triangle {triangle} of {}", model.triangles.len()));
        }
        hits.push((triangle >= 0.0).then_some(RayHit { t, triangle: triangle as u32 }));
    }
    answers.end()?;
    Ok(RayRun { version, empty_call, empty_batch, build, batch, singles, hits })
}

/// What is left to read of a file of answers.
struct Answers<'a> {
    bytes: &'a [u8],
}

impl<'a> Answers<'a> {
    fn take<const N: usize>(&mut self) -> Result<&'a [u8; N], String> {
        let (first, rest) = self.bytes.split_first_chunk::<N>().ok_or("the peer's answers are truncated")?;
        self.bytes = rest;
        Ok(first)
    }

    fn magic(&mut self, magic: &[u8; 8]) -> Result<(), String> {
        if self.take::<8>()? == magic { Ok(()) } else { Err("the peer's answers have the wrong format".into()) }
    }

    fn whole(&mut self) -> Result<u64, String> {
        self.take().map(|bytes| u64::from_le_bytes(*bytes))
    }

    fn number(&mut self) -> Result<f64, String> {
        let number = f64::from_le_bytes(*self.take()?);
        if number.is_nan() { Err("the peer answers NaN".into()) } else { Ok(number) }
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<f64>, String> {
        (0..count).map(|_| self.number()).collect()
    }

    fn text(&mut self) -> Result<String, String> {
        let length = usize::try_from(self.whole()?).ok().filter(|&length| length <= self.bytes.len());
        let (text, rest) = self.bytes.split_at(length.ok_or("the peer's answers are truncated")?);
        self.bytes = rest;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn count(&mut self, wanted: usize, of: &str) -> Result<(), String> {
        let count = self.whole()?;
        if count == wanted as u64 { Ok(()) } else { Err(format!("the peer answered {count} of {wanted} {of}")) }
    }

    fn end(&self) -> Result<(), String> {
        if self.bytes.is_empty() { Ok(()) } else { Err("the peer returned more than requested".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::generate::sphere;
    use clearance::Pose;
    use clearance::glam::DVec3;

    fn query(question: Question) -> Query {
        let turned = Pose::from_rows([[0.0, -1.0, 0.0, 5.0], [1.0, 0.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]]).unwrap();
        Query { models: [0, 1], poses: [Pose::from_translation(DVec3::X).unwrap(), turned], question }
    }

    fn pair_answers(queries: u64) -> Vec<u8> {
        let mut bytes = b"CLRANS01".to_vec();
        bytes.extend(3_u64.to_le_bytes());
        bytes.extend(b"1.2");
        put(&mut bytes, [40.0].into_iter());
        bytes.extend(2_u64.to_le_bytes());
        put(&mut bytes, [1e6, 2e6].into_iter());
        bytes.extend(queries.to_le_bytes());
        put(&mut bytes, [10.0, 9.0, 1.0, 20.0, 19.0, 17.0, 30.0, 29.0, 0.25].into_iter());
        bytes
    }

    #[test]
    fn a_job_has_rotations_row_by_row() {
        let models = [sphere(8), sphere(32)];
        let job = pairs_job(&[&models[0], &models[1]], &[query(Question::Distance)]).unwrap();
        let mesh = |model: &Model| 16 + 24 * model.points.len() + 12 * model.triangles.len();
        let start = 24 + mesh(&models[0]) + mesh(&models[1]);
        assert_eq!(job.len(), start + 8 + 12 + 24 * 8);
        assert_eq!(job[start + 8..start + 20], [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        let numbers: Vec<f64> =
            job[start + 20..].chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert_eq!(numbers[9..12], [1.0, 0.0, 0.0]);
        assert_eq!(numbers[12..], [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 7.0]);
        assert!(pairs_job(&[&models[0]], &[query(Question::Distance)]).is_err());
    }

    #[test]
    fn answers_are_read_by_their_questions() {
        let queries = [Question::FirstContact, Question::AllContacts, Question::Distance].map(query);
        let run = read_pairs(&pair_answers(3), 2, &queries).unwrap();
        assert_eq!((run.version.as_str(), run.empty_call, run.builds), ("1.2", 40.0, vec![1e6, 2e6]));
        let found: Vec<Found> = run.answers.iter().map(|answer| answer.found).collect();
        assert_eq!(found, [Found::Meets(true), Found::Pairs(17), Found::Distance(0.25)]);
        assert_eq!((run.answers[1].nanoseconds, run.answers[1].least), (20.0, 19.0));
    }

    #[test]
    fn broken_answers_are_errors() {
        let queries = [Question::FirstContact, Question::AllContacts, Question::Distance].map(query);
        let whole = pair_answers(3);
        for length in 0..whole.len() {
            assert!(read_pairs(&whole[..length], 2, &queries).is_err(), "{length}");
        }
        assert!(read_pairs(&pair_answers(2), 2, &queries).is_err());
        assert!(read_pairs(&[&whole[..], &[0]].concat(), 2, &queries).is_err());
        assert!(read_rays(&whole, &sphere(8), 3).is_err());
        let mut nan = whole;
        let end = nan.len();
        nan[end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
        assert!(read_pairs(&nan, 2, &queries).unwrap_err().contains("NaN"));
    }

    #[test]
    fn hits_and_misses_of_rays() {
        let model = sphere(8);
        let answers = |triangle: f64| {
            let mut bytes = b"CLRHIT01".to_vec();
            bytes.extend(1_u64.to_le_bytes());
            bytes.extend(b"4");
            put(&mut bytes, [300.0, 60.0, 1e6, 90.0].into_iter());
            bytes.extend(1_u64.to_le_bytes());
            put(&mut bytes, [400.0].into_iter());
            bytes.extend(2_u64.to_le_bytes());
            put(&mut bytes, [1.5, triangle, f64::INFINITY, -1.0].into_iter());
            bytes
        };
        let run = read_rays(&answers(7.0), &model, 2).unwrap();
        assert_eq!(run.hits, [Some(RayHit { t: 1.5, triangle: 7 }), None]);
        assert_eq!((run.empty_call, run.empty_batch, run.build, run.batch), (300.0, 60.0, 1e6, 90.0));
        assert_eq!(run.singles, [400.0]);
        assert!(read_rays(&answers(8.0), &model, 2).is_err());
        assert!(read_rays(&answers(7.0), &model, 3).is_err());
    }

    #[test]
    fn a_program_that_fails_says_so() {
        let folder = std::env::temp_dir();
        let program = Command::new("clearance-no-such-program");
        assert!(ask_rays(program, &folder, &sphere(8), &[], false).unwrap_err().contains("does not start"));
        let program = Command::new("false");
        assert!(ask_pairs(program, &folder, &[], &[]).unwrap_err().contains("failed"));
    }
}
