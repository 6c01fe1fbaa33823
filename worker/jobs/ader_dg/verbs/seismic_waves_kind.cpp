// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/ader_dg/verbs/seismic_waves_kind.hpp"

#include <algorithm>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "solvers/device/threads.hpp"

namespace kaname::compute {
namespace {

constexpr double kMesh_s = 6e-5;     ///< per element
constexpr double kSetup_s = 4e-6;    ///< per element
constexpr double kPackage_s = 5e-9;  ///< per byte of the dataset
constexpr double kLeast_s = 0.1;     ///< of a program that begins

/// Returns the time [s] that a pack of `sources` is expected to take, before it is corrected by the
/// times of earlier packs.
double pack_seconds(const jobs::SeismicJob& job, double updates, std::int64_t sources,
                    CalibrationCache& book) {
    const auto lanes = std::min(jobs::kWavePack, sources);
    const std::string key = jobs::seismic_speed_key(job) + "x" + std::to_string(lanes) + "@" +
                            std::to_string(device::max_threads());
    const jobs::Speed speed = book.find_or_measure(key, [&] {
        return jobs::Speed{jobs::measure_seismic_speed(job), kSetup_s};
    });
    return speed.iteration_s * updates * static_cast<double>(lanes);
}

struct GivenSources : SeismicPhysics {
    using Request = v1::SeismicWaves;
    using Job = jobs::SeismicJob;
    static constexpr const char* kPreflight = "sizes of the mesh";
    static constexpr const char* kCollect = "collecting sources";
    static constexpr std::array<const char*, 4> kWhat = {
        "Check places, sizes, memory and time before anything is computed",
        "Solve every source, or with --serve those that are asked for; on any number of ranks",
        "Collect the sources' seismograms in one dataset",
        "Answer with the seismograms of sources that are named on standard input"};

    static Job job_of(Request request) {
        return seismic_job_from_request(request::check_seismic_waves(std::move(request)));
    }
    static jobs::SeismicPreflight preflight(const Job& job) { return jobs::preflight_seismic(job); }
    static jobs::MeshSummary mesh(const Job& job, const std::string& path,
                                  const jobs::MeshProgress& progress) {
        return jobs::mesh_seismic(job, path, progress);
    }
    static std::unique_ptr<Session> open(const Job& job, const Call& call, comm::Comm& comm) {
        return jobs::open_seismic(job, input(call, kMeshInput), call.work, comm);
    }
    static jobs::PackageSummary package(const Job& job, const Call& call,
                                        const jobs::SourceFiles& files) {
        return jobs::package_seismic(job, input(call, kMeshInput), files, call.out);
    }
};

}  // namespace

Forecast SeismicPhysics::times(const jobs::SeismicJob& job, const jobs::SeismicPreflight& found,
                               CalibrationCache& book) {
    const auto elements = static_cast<double>(found.tets);
    Forecast times;
    times.mesh_s = kLeast_s + kMesh_s * elements;
    times.setup_s = kLeast_s + kSetup_s * elements;
    times.pack_s = kLeast_s + pack_seconds(job, found.updates, found.sources, book);
    times.package_s = times.setup_s + kPackage_s * found.dataset_bytes;
    return times;
}

double SeismicPhysics::predicted_s(const jobs::SeismicJob& job, const jobs::SeismicSession& session,
                                   const jobs::PackOutcome& outcome, CalibrationCache& book) {
    return pack_seconds(job, session.updates(), std::ssize(outcome.sources), book);
}

const Kind& seismic_waves_kind() {
    static const Kind kind = WaveVerbs<GivenSources>::kind();
    return kind;
}

}  // namespace kaname::compute
