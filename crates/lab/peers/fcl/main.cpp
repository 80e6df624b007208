// Asks FCL the questions of a job file and writes its answers, each with the time it took.
//
//   fcl-peer VOLUMES JOB ANSWERS
//
// The files are described in ../../src/peers/wire.rs. Meshes are BVHModel with these volumes: OBBRSS, the tree of FCL
// that serves both contact and distance, AABB, OBB, RSS, KIOS, KDOP16, KDOP18 or KDOP24; with the default splitting
// rule. All questions are asked in order, once to warm up and to
// see how long each takes, then `repeats` times over, for the median and the least of each: between two times of a
// question stand all the others. A question shorter than 2 microseconds is asked several times between two looks at the
// clock, one longer than a second is not asked again.

#include <fcl/fcl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
template <typename Volume>
using Mesh = fcl::BVHModel<Volume>;

double nanoseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

class Input {
 public:
  explicit Input(const char* path) : file_(path, std::ios::binary) {
    if (!file_) throw std::runtime_error(std::string("cannot read ") + path);
  }

  void bytes(void* to, std::size_t count) {
    if (!file_.read(static_cast<char*>(to), static_cast<std::streamsize>(count))) {
      throw std::runtime_error("the job ends too early");
    }
  }

  template <typename T>
  T number() {
    T value;
    bytes(&value, sizeof value);
    return value;
  }

 private:
  std::ifstream file_;
};

class Output {
 public:
  explicit Output(const char* path) : file_(path, std::ios::binary) {
    if (!file_) throw std::runtime_error(std::string("cannot write ") + path);
  }

  void bytes(const void* from, std::size_t count) {
    file_.write(static_cast<const char*>(from), static_cast<std::streamsize>(count));
  }

  template <typename T>
  void number(T value) {
    bytes(&value, sizeof value);
  }

  void close() {
    file_.close();
    if (!file_) throw std::runtime_error("the answers could not be written");
  }

 private:
  std::ofstream file_;
};

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2.0;
}

// Reads a mesh and builds its tree, `repeats` times for the median unless that takes longer than a second.
template <typename Volume>
std::unique_ptr<Mesh<Volume>> read_mesh(Input& input, std::uint64_t repeats, double& build) {
  const auto points = input.number<std::uint64_t>();
  const auto triangles = input.number<std::uint64_t>();
  std::vector<fcl::Vector3d> vertices(points);
  for (auto& vertex : vertices) {
    for (int axis = 0; axis < 3; ++axis) vertex[axis] = input.number<double>();
  }
  std::vector<fcl::Triangle> faces;
  faces.reserve(triangles);
  for (std::uint64_t i = 0; i < triangles; ++i) {
    std::uint32_t corner[3];
    input.bytes(corner, sizeof corner);
    faces.emplace_back(corner[0], corner[1], corner[2]);
  }
  std::unique_ptr<Mesh<Volume>> mesh;
  std::vector<double> times;
  do {
    const auto begun = Clock::now();
    mesh = std::make_unique<Mesh<Volume>>();
    const bool built =
        mesh->beginModel(static_cast<int>(triangles), static_cast<int>(points)) == fcl::BVH_OK &&
        mesh->addSubModel(vertices, faces) == fcl::BVH_OK && mesh->endModel() == fcl::BVH_OK;
    times.push_back(nanoseconds(begun, Clock::now()));
    if (!built) throw std::runtime_error("FCL refuses a mesh");
  } while (times.size() < repeats && times.front() < 1e9);
  build = median(times);
  return mesh;
}

fcl::Transform3d read_pose(Input& input) {
  fcl::Matrix3d rotation;
  fcl::Vector3d translation;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) rotation(row, column) = input.number<double>();
  }
  for (int axis = 0; axis < 3; ++axis) translation[axis] = input.number<double>();
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = rotation;
  pose.translation() = translation;
  return pose;
}

template <typename Volume>
struct Query {
  const Mesh<Volume>* a;
  const Mesh<Volume>* b;
  std::uint32_t question;
  fcl::Transform3d pose_a;
  fcl::Transform3d pose_b;
};

// The answer as a number: 0 or 1, how many pairs of triangles meet, or the distance.
template <typename Volume>
double ask(const Query<Volume>& query) {
  if (query.question == 2) {
    const fcl::DistanceRequestd request(true);
    fcl::DistanceResultd result;
    return fcl::distance(query.a, query.pose_a, query.b, query.pose_b, request, result);
  }
  const bool all = query.question == 1;
  const std::size_t most = all ? std::numeric_limits<std::size_t>::max() : 1;
  const fcl::CollisionRequestd request(most, false);
  fcl::CollisionResultd result;
  fcl::collide(query.a, query.pose_a, query.b, query.pose_b, request, result);
  return all ? static_cast<double>(result.numContacts()) : (result.isCollision() ? 1.0 : 0.0);
}

struct Answer {
  double found;
  double nanoseconds;
  double least;
};

template <typename Volume>
std::vector<Answer> ask_all(const std::vector<Query<Volume>>& queries, std::uint64_t repeats) {
  std::vector<Answer> answers;
  for (const Query<Volume>& query : queries) {
    const auto begun = Clock::now();
    const double found = ask(query);
    const double first = nanoseconds(begun, Clock::now());
    answers.push_back({found, first, first});
  }
  std::vector<std::vector<double>> times(queries.size());
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const double first = answers[i].nanoseconds;
      if (first > 1e9) continue;
      const auto rounds = static_cast<int>(std::clamp(std::ceil(2e3 / std::max(first, 1.0)), 1.0, 1000.0));
      volatile double sink = 0.0;
      const auto begun = Clock::now();
      for (int round = 0; round < rounds; ++round) sink = ask(queries[i]);
      times[i].push_back(nanoseconds(begun, Clock::now()) / rounds);
      static_cast<void>(sink);
    }
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (times[i].empty()) continue;
    answers[i].nanoseconds = median(times[i]);
    answers[i].least = *std::min_element(times[i].begin(), times[i].end());
  }
  return answers;
}

template <typename Volume>
void run(const char* job, const char* answers) {
  Input input(job);
  char magic[8];
  input.bytes(magic, sizeof magic);
  if (std::memcmp(magic, "CLRJOB01", sizeof magic) != 0) throw std::runtime_error("not a job file");
  const auto repeats = input.number<std::uint64_t>();
  std::vector<std::unique_ptr<Mesh<Volume>>> meshes(input.number<std::uint64_t>());
  std::vector<double> builds(meshes.size());
  for (std::size_t i = 0; i < meshes.size(); ++i) meshes[i] = read_mesh<Volume>(input, repeats, builds[i]);

  Output output(answers);
  const std::string version = FCL_VERSION;
  output.bytes("CLRANS01", 8);
  output.number<std::uint64_t>(version.size());
  output.bytes(version.data(), version.size());
  output.number<double>(0.0);  // a call costs nothing here but the question itself
  output.number<std::uint64_t>(builds.size());
  for (double build : builds) output.number(build);

  std::vector<Query<Volume>> queries(input.number<std::uint64_t>());
  for (Query<Volume>& query : queries) {
    query.a = meshes.at(input.number<std::uint32_t>()).get();
    query.b = meshes.at(input.number<std::uint32_t>()).get();
    query.question = input.number<std::uint32_t>();
    query.pose_a = read_pose(input);
    query.pose_b = read_pose(input);
  }
  output.number<std::uint64_t>(queries.size());
  for (const Answer& answer : ask_all(queries, repeats)) {
    output.number(answer.nanoseconds);
    output.number(answer.least);
    output.number(answer.found);
  }
  output.close();
}

void run_with(const std::string& volumes, const char* job, const char* answers) {
  if (volumes == "OBBRSS") return run<fcl::OBBRSSd>(job, answers);
  if (volumes == "AABB") return run<fcl::AABBd>(job, answers);
  if (volumes == "OBB") return run<fcl::OBBd>(job, answers);
  if (volumes == "RSS") return run<fcl::RSSd>(job, answers);
  if (volumes == "KIOS") return run<fcl::kIOSd>(job, answers);
  if (volumes == "KDOP16") return run<fcl::KDOPd<16>>(job, answers);
  if (volumes == "KDOP18") return run<fcl::KDOPd<18>>(job, answers);
  if (volumes == "KDOP24") return run<fcl::KDOPd<24>>(job, answers);
  throw std::runtime_error("no volumes " + volumes);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: fcl-peer VOLUMES JOB ANSWERS\n");
    return 2;
  }
  try {
    run_with(arguments[1], arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fcl-peer: %s\n", error.what());
    return 1;
  }
  return 0;
}
