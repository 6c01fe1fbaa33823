// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/ader_dg/seismic_green.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/greens/volumes.hpp"
#include "solvers/base/units.hpp"
#include "worker/jobs/ader_dg/verbs/seismic_waves_kind.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

namespace kaname::compute {
namespace {

/// Sources may have more than elements resolve: waves of up to so many times that frequency.
constexpr double kHighestOverResolved = 4.0;

using jobs::SeismicJob;

aderdg::Boundary boundary_of(const std::string& kind) {
    return kind == request::kFree      ? aderdg::Boundary::Free
           : kind == request::kGravity ? aderdg::Boundary::Gravity
                                       : aderdg::Boundary::Absorbing;
}

jobs::EarthBox earth_of(const v1::SeismicWaves& waves) {
    const v1::Region& region = waves.region();
    return {{region.centre_lon_deg(), region.centre_lat_deg()},
            region.size_east_m(),
            region.size_north_m(),
            region.depth_m(),
            region.azimuth_deg() * kDegree,
            request::has_volumes(waves.structure())
                ? volumes_of(waves.structure())
                : jobs::volumes_of_layers(layers_of(waves.structure()))};
}

jobs::MeshOfOnesOwn file_of(const v1::SeismicWaves& waves) {
    jobs::MeshOfOnesOwn own;
    own.path = waves.mesh().file().path();
    own.length_unit = waves.mesh().length_unit();
    own.top = waves.mesh().top();
    own.materials = layers_of(waves.structure()).materials;
    for (const v1::SeismicSurface& surface : waves.boundaries().surfaces()) {
        own.boundaries.emplace(surface.name(), boundary_of(surface.kind()));
    }
    return own;
}

void set_mesh(const v1::SeismicWaves& waves, jobs::SeismicMeshRequest& request) {
    if (waves.mesh().has_file()) {
        request.model = file_of(waves);
    } else if (waves.has_region()) {
        request.model = earth_of(waves);
    } else {
        request.model = jobs::LayeredBox{waves.box().size_x_m(), waves.box().size_y_m(),
                                         waves.box().depth_m(), layers_of(waves.structure())};
    }
    const v1::SeismicMesh& mesh = waves.mesh();
    request.max_frequency_hz = mesh.max_frequency_hz();
    request.order = static_cast<int>(waves.solver().order());
    request.elements_per_wavelength = mesh.elements_per_wavelength();
    request.growth = mesh.growth() > 0.0 ? mesh.growth() : request.growth;
    request.max_elements = mesh.max_elements();
    const v1::SeismicBoundaries& sides = waves.boundaries();
    const auto set = [&](mesh::Side side, const std::string& kind) {
        request.sides[static_cast<std::size_t>(side)] = boundary_of(kind);
    };
    set(mesh::Side::West, sides.x_min());
    set(mesh::Side::East, sides.x_max());
    set(mesh::Side::South, sides.y_min());
    set(mesh::Side::North, sides.y_max());
    set(mesh::Side::Bottom, sides.bottom());
    set(mesh::Side::Top, sides.top());
}

void set_quality(const v1::SeismicWaves& waves, SeismicJob& job) {
    for (const v1::Material& material : waves.structure().materials()) {
        if (material.has_qp() && material.has_qs()) {
            job.quality.emplace(material.name(), SeismicJob::Quality{material.qp(), material.qs()});
        }
    }
    const v1::Attenuation& band = waves.attenuation();
    job.band = {band.from_hz(), band.to_hz(), static_cast<int>(band.mechanisms()),
                band.reference_hz()};
}

jobs::RuptureRequest patch_of(const v1::SeismicSource& source) {
    const v1::SeismicPatch& from = source.patch();
    const v1::Plane& plane = from.plane();
    const double columns = std::max(1U, plane.n_strike()), rows = std::max(1U, plane.n_dip());
    jobs::PatchRequest patch;
    patch.place = {plane.centre_lon_deg(), plane.centre_lat_deg()};
    patch.depth_m = plane.top_depth_m();
    patch.strike_deg = plane.strike_deg();
    patch.dip_deg = plane.dip_deg();
    patch.rake_deg = from.rake_deg();
    patch.length_m = plane.length_m() / columns;
    patch.width_m = plane.width_m() / rows;
    patch.along_m = (from.column() + 0.5) * patch.length_m - 0.5 * plane.length_m();
    patch.down_m = (from.row() + 0.5) * patch.width_m;
    patch.slip_m = from.slip_m();
    patch.time = time_function_of(source.time_function());
    jobs::RuptureRequest request;
    request.options.spacing_m = from.spacing_m();
    request.patches = {patch};
    return request;
}

/// Forces at receivers where they are solved in place of the sources, and what is told of that.
void set_method(const v1::SeismicWaves& waves, const std::vector<request::Task>& tasks,
                SeismicJob& job) {
    if (!waves.has_green()) {
        return;
    }
    const std::size_t n_forces = 3 * job.receivers.size();
    const bool reciprocal = request::is_reciprocal(waves);
    const std::string counts = std::to_string(job.sources.size()) + " unit sources, " +
                               std::to_string(n_forces) + " forces at " +
                               std::to_string(job.receivers.size()) + " receivers by reciprocity";
    job.method_note = counts + ": green.method " + waves.green().method() + " solves the " +
                      (reciprocal ? "forces" : "sources");
    if (reciprocal) {
        const std::vector<std::string> ids = request::force_ids(waves);
        for (std::size_t k = 0; k < ids.size(); ++k) {
            job.forces.push_back(
                {ids[k], tasks.at(k).key, request::element("receivers", int(k / 3))});
        }
    }
}

void set_sources(const v1::SeismicWaves& waves, SeismicJob& job) {
    const std::vector<request::Task> tasks = request::seismic_waves_graph(waves).tasks;
    const std::vector<request::ListedSource> listed = request::listed_sources(waves);
    const bool reciprocal = request::is_reciprocal(waves);
    for (std::size_t k = 0; k < listed.size(); ++k) {
        SeismicJob::Source source = source_of(listed[k].source, listed[k].field);
        source.key = reciprocal ? "" : tasks.at(k).key;
        if (waves.has_green()) {
            source.field = listed[k].field;  // a patch of green.plane is no block of its own
        }
        job.sources.push_back(std::move(source));
    }
    set_method(waves, tasks, job);
}

}  // namespace

SeismicJob::Source source_of(const v1::SeismicSource& from, const std::string& field) {
    SeismicJob::Source source;
    source.id = from.id();
    source.field = field;
    if (from.has_rupture()) {
        source.rupture = rupture_of(from.rupture());
    } else if (from.patches_size() > 0) {
        source.rupture = patches_of(from.patches(), time_function_of(from.time_function()));
        source.field += ".patches";
    } else if (from.has_patch()) {
        source.rupture = patch_of(from);
        source.field += ".patch";
    } else {
        source.at = place_of(from.at());
        source.force_n = force_of(from.force());
        source.moment_nm = moment_of(from.moment());
        source.time = time_function_of(from.time_function());
    }
    return source;
}

void set_setting(const v1::SeismicWaves& waves, SeismicJob& job) {
    job.name = waves.name();
    job.title = waves.description().empty() ? waves.name() : waves.description();
    set_mesh(waves, job.mesh);
    set_quality(waves, job);
    if (waves.has_region()) {
        job.centre =
            earth::LonLat{waves.region().centre_lon_deg(), waves.region().centre_lat_deg()};
    }
    job.receivers = receivers_of(waves.receivers());
    job.end_s = waves.time().end_s();
    job.interval_s = waves.time().interval_s();
    if (waves.time().anti_alias()) {
        // Twice the highest frequency that there is to speak of.
        job.oversampling =
            std::max(1, static_cast<int>(std::ceil(2.0 * kHighestOverResolved * job.interval_s *
                                                   waves.mesh().max_frequency_hz())));
    }
    const v1::SeismicOutput& output = waves.output();
    job.motion = output.quantity() == "displacement" ? aderdg::Motion::Displacement
                                                     : aderdg::Motion::Velocity;
    job.precision = waves.solver().precision() == "double" ? aderdg::Precision::Double
                                                           : aderdg::Precision::Single;
    job.local_time_steps = waves.solver().local_time_steps();
    job.cfl = waves.solver().cfl();
    job.snapshots_s = {output.snapshots_s().begin(), output.snapshots_s().end()};
    job.peak_ground_velocity = output.peak_ground_velocity();
    job.volume_snapshots = output.volume();
    job.checkpoint = output.checkpoint() != "none";
    if (output.has_checkpoint_interval_s()) {
        job.checkpoint_interval_s = output.checkpoint_interval_s();
    }
    job.version = KANAME_VERSION;
}

SeismicJob seismic_job_from_request(const v1::SeismicWaves& waves) {
    SeismicJob job;
    set_setting(waves, job);
    set_sources(waves, job);
    job.specification_json = request::canonical_text(waves);
    return job;
}

}  // namespace kaname::compute
