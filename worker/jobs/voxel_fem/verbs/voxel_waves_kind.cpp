// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/voxel_fem/verbs/voxel_waves_kind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "proto/request/form/rules.hpp"
#include "proto/request/greens/volumes.hpp"
#include "proto/request/voxel_fem/load_voxel_waves.hpp"
#include "solvers/base/units.hpp"
#include "solvers/device/threads.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/jobs/voxel_fem/wave_package.hpp"
#include "worker/jobs/waves/verbs/wave_verbs.hpp"

namespace kaname::compute {
namespace {

constexpr double kSetup_s = 1e-7;    ///< per voxel
constexpr double kPackage_s = 5e-9;  ///< per byte of the dataset
constexpr double kLeast_s = 0.05;    ///< of a program that begins

/// Returns the time [s] that a pack of `sources` is expected to take, before it is corrected by the
/// times of earlier packs.
double pack_seconds(const jobs::WaveJob& job, const jobs::Preflight& found,
                    CalibrationCache& book) {
    const std::string key = jobs::wave_speed_key(job) + "@" + std::to_string(device::max_threads());
    const jobs::Speed speed = book.find_or_measure(key, [&] {
        return jobs::Speed{jobs::measure_wave_speed(job), kSetup_s};
    });
    const auto sources = static_cast<double>(std::min(jobs::kWavePack, found.sources));
    return speed.iteration_s * static_cast<double>(found.dof) / 3.0 *
           static_cast<double>(found.steps) * sources;
}

struct VoxelPhysics {
    using Request = v1::VoxelWaves;
    using Job = jobs::WaveJob;
    using Session = jobs::SolveSession;
    static constexpr bool kHasMesh = false;
    static constexpr const char* kPreflight = "building the model";
    static constexpr const char* kSetUp = kPreflight;
    static constexpr const char* kCollect = "collecting sources";
    static constexpr std::array<const char*, 4> kWhat = {
        "Check places, steps, memory and time before anything is computed",
        "Solve every source, or with --serve those that are asked for; on any number of ranks",
        "Collect the sources' seismograms in one dataset",
        "Answer with the seismograms of sources that are named on standard input"};

    static Job job_of(Request request) {
        return wave_job_from_request(request::check_voxel_waves(std::move(request)));
    }
    static jobs::Preflight preflight(const Job& job) { return jobs::preflight_waves(job); }
    static std::unique_ptr<Session> open(const Job& job, const Call& call, comm::Comm& comm) {
        return jobs::open_waves(job, call.work, comm);
    }
    static jobs::PackageSummary package(const Job& job, const Call& call,
                                        const jobs::SourceFiles& files) {
        return jobs::package_waves(job, files, call.out);
    }
    static std::unique_ptr<jobs::SourceReader> read(const Job& job) {
        return jobs::read_waves(job);
    }
    static std::string speed_key(const Job& job) { return jobs::wave_speed_key(job); }
    static Forecast times(const Job& job, const jobs::Preflight& found, CalibrationCache& book) {
        Forecast times;
        times.setup_s = kLeast_s + kSetup_s * static_cast<double>(found.dof) / 3.0;
        times.pack_s = kLeast_s + pack_seconds(job, found, book);
        times.package_s = kLeast_s + times.setup_s + kPackage_s * found.dataset_bytes;
        return times;
    }
    static double predicted_s(const Job& job, const Session& session,
                              const jobs::PackOutcome& outcome, CalibrationCache& book) {
        jobs::Preflight size;
        size.dof = session.dof();
        size.steps = outcome.solves;
        size.sources = std::ssize(outcome.sources);
        return pack_seconds(job, size, book);
    }
};

}  // namespace

const Kind& voxel_waves_kind() {
    static const Kind kind = WaveVerbs<VoxelPhysics>::kind();
    return kind;
}

namespace {

using jobs::WaveJob;
using jobs::WaveShape;
using voxelwave::Solid;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kSides[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

template <class Words>
std::array<bool, 6> sides_of(const Words& words) {
    std::array<bool, 6> sides{};
    for (int side = 0; side < 6; ++side) {
        sides[side] = std::find(words.begin(), words.end(), kSides[side]) != words.end();
    }
    return sides;
}

Solid solid_of(const v1::Material& material, const std::string& field) {
    const earth::Material found = material_of(material, field);
    return {found.kappa_pa(), found.mu_pa, found.density_kg_m3};
}

std::array<double, 3> corner_of(const v1::WavePlace& place, double otherwise) {
    return {place.has_x_m() ? place.x_m() : otherwise, place.has_y_m() ? place.y_m() : otherwise,
            place.has_z_m() ? place.z_m() : otherwise};
}

WaveShape shape_of(const v1::VoxelShape& shape, const Solid& solid) {
    if (shape.has_cylinder()) {
        const v1::VoxelCylinder& round = shape.cylinder();
        return {solid, WaveShape::Cylinder{round.axis()[0] - 'x', corner_of(round.centre(), 0.0),
                                           round.radius_m(),
                                           round.has_from_m() ? round.from_m() : -kInfinity,
                                           round.has_to_m() ? round.to_m() : kInfinity}};
    }
    if (shape.has_sphere()) {
        return {solid, WaveShape::Sphere{corner_of(shape.sphere().centre(), 0.0),
                                         shape.sphere().radius_m()}};
    }
    WaveShape::Box box{corner_of(shape.box().from(), -kInfinity),
                       corner_of(shape.box().to(), kInfinity)};
    if (shape.has_layer()) {
        box.from_m[2] = shape.layer().has_bottom_m() ? shape.layer().bottom_m() : -kInfinity;
        box.to_m[2] = shape.layer().has_top_m() ? shape.layer().top_m() : kInfinity;
    }
    return {solid, box};
}

jobs::WaveEarth earth_of(const v1::VoxelWaves& waves) {
    jobs::WaveEarth earth;
    earth.centre = {waves.region().centre_lon_deg(), waves.region().centre_lat_deg()};
    earth.azimuth_rad = waves.region().azimuth_deg() * kDegree;
    earth.depth_m = waves.region().depth_m();
    const v1::Structure& structure = waves.structure();
    if (request::has_volumes(structure)) {
        earth.volumes = volumes_of(structure);
        return earth;
    }
    earth.layers = layers_of(structure);
    return earth;
}

void set_model(const v1::VoxelWaves& waves, WaveJob& job) {
    const v1::VoxelBox& model = waves.model();
    job.size_m = {model.size_x_m(), model.size_y_m(), model.size_z_m()};
    job.spacing_m = model.spacing_m();
    std::map<std::string, Solid> solids = {{request::kVoid, Solid()}};
    for (int k = 0; k < model.materials_size(); ++k) {
        solids.emplace(model.materials(k).name(),
                       solid_of(model.materials(k), request::element("model.materials", k)));
    }
    if (waves.has_region()) {
        job.base = earth_of(waves);
    } else if (model.has_grid()) {
        job.base = jobs::WaveGrid{model.grid().path()};
    } else {
        job.base = solids.at(model.fill());
    }
    for (const v1::VoxelShape& shape : model.shapes()) {
        job.shapes.push_back(shape_of(shape, solids.at(shape.material())));
    }
}

void set_points(const v1::VoxelWaves& waves, WaveJob& job) {
    const std::vector<request::Task> tasks = request::voxel_waves_graph(waves).tasks;
    for (int k = 0; k < waves.sources_size(); ++k) {
        const v1::WaveSource& from = waves.sources(k);
        WaveJob::Source& source = job.sources.emplace_back();
        source.id = from.id();
        source.key = tasks.at(static_cast<std::size_t>(k)).key;
        source.field = request::element("sources", k);
        if (from.has_rupture()) {
            source.rupture = rupture_of(from.rupture());
            continue;
        }
        source.at = place_of(from.at());
        source.force_n = force_of(from.force());
        source.moment_nm = moment_of(from.moment());
        source.time = time_function_of(from.time_function());
        if (!from.patches().empty()) {
            source.rupture = patches_of(from.patches(), source.time);
        }
    }
    job.receivers = receivers_of(waves.receivers());
}

void set_scheme(const v1::WaveScheme& scheme, WaveJob& job) {
    using voxelwave::Variant;
    job.variant = scheme.element() == "vfem"    ? Variant::Vfem
                  : scheme.product() == "walsh" ? Variant::OvfemWalsh
                  : scheme.product() == "int8"  ? Variant::OvfemInteger
                                                : Variant::OvfemDense;
    job.single = scheme.precision() == "single";
    job.stages = scheme.stages() == 0 ? job.stages : static_cast<int>(scheme.stages());
}

}  // namespace

WaveJob wave_job_from_request(const v1::VoxelWaves& waves) {
    WaveJob job;
    job.name = waves.name();
    job.title = waves.description().empty() ? waves.name() : waves.description();
    set_model(waves, job);
    set_points(waves, job);
    job.end_s = waves.time().end_s();
    job.step_s = waves.time().step_s();
    job.every = std::max(1, static_cast<int>(waves.time().every()));
    if (waves.has_damping()) {
        job.damping = {waves.damping().ratio(), waves.damping().from_hz(), waves.damping().to_hz()};
    }
    job.absorbing = sides_of(waves.absorbing().sides());
    job.layer_m = waves.absorbing().width_m();
    job.layer_rate_per_s = waves.absorbing().rate_per_s();
    job.fixed_sides = sides_of(waves.fixed());
    job.fixed_corners = std::ranges::find(waves.fixed(), "bottom_corners") != waves.fixed().end();
    set_scheme(waves.solver(), job);
    const v1::WaveOutput& output = waves.output();
    job.snapshots_s = {output.snapshots_s().begin(), output.snapshots_s().end()};
    job.snapshot_stride = std::max(1, static_cast<int>(output.snapshot_stride()));
    job.checkpoint = output.checkpoint() != "none";
    if (output.has_checkpoint_interval_s()) {
        job.checkpoint_interval_s = output.checkpoint_interval_s();
    }
    job.specification_json = request::canonical_text(waves);
    job.version = KANAME_VERSION;
    return job;
}

}  // namespace kaname::compute
