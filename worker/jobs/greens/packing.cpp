// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "solvers/base/checksums.hpp"
#include "solvers/base/units.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"
#include "worker/jobs/geometry/predicted_errors.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"
#include "worker/jobs/greens/method_choice.hpp"
#include "worker/jobs/greens/observed_places.hpp"

namespace kaname::jobs {
namespace {

std::string material_text(const earth::LayeredStructure& structure) {
    std::string text;
    for (const earth::Material& m : structure.materials) {
        char line[320];
        std::snprintf(line, sizeof line, "%s %.17g %.17g %.17g %.17g %.17g %.17g\n", m.name.c_str(),
                      m.lambda_pa, m.mu_pa, m.viscosity_pa_s.value_or(0.0),
                      m.relaxed_mu_pa.value_or(0.0), m.kelvin_mu_pa.value_or(0.0),
                      m.kelvin_viscosity_pa_s.value_or(0.0));
        text += line;
    }
    return text;
}

std::string time_method_of(const Steps& steps) {
    return steps.spectrum ? "spectrum" : steps.grid.total_steps() > 0 ? "stepping" : "elastic";
}

/// Reads a source's result; nullopt when it is missing or of another job.
std::optional<io::SourceResult> read_result(const SourceFiles& files, const std::string& id,
                                            const std::string& key) {
    const auto found = files.find(id);
    if (found == files.end() || !std::filesystem::exists(found->second)) {
        return std::nullopt;
    }
    io::SourceResult result = io::read_source_result(found->second);
    if (result.key != key) {
        return std::nullopt;
    }
    return result;
}

/// Grid east and north to true, [any][N][3]: true north lies `convergence` clockwise of grid north.
void to_true_north(std::vector<double>& u, const std::vector<double>& convergence) {
    for (std::size_t k = 0; 3 * k < u.size(); ++k) {
        const double c = std::cos(convergence[k % convergence.size()]);
        const double s = std::sin(convergence[k % convergence.size()]);
        const double east = u[3 * k];
        const double north = u[3 * k + 1];
        u[3 * k] = c * east - s * north;
        u[3 * k + 1] = s * east + c * north;
    }
}

/// d (d . u) where a station is observed along d, [any][N][3].
void project(std::vector<double>& u, const std::vector<Station>& stations) {
    for (std::size_t k = 0; 3 * k < u.size(); ++k) {
        if (const auto& look = stations[k % stations.size()].look) {
            const double along =
                look->x * u[3 * k] + look->y * u[3 * k + 1] + look->z * u[3 * k + 2];
            u[3 * k] = along * look->x;
            u[3 * k + 1] = along * look->y;
            u[3 * k + 2] = along * look->z;
        }
    }
}

}  // namespace

Packing::Packing(const GreensJob& of_job, const std::string& mesh_path,
                 const SourceFiles& with_files)
    : job(of_job),
      files(with_files),
      geometry(job),
      mesh(io::read_mesh(mesh_path)),
      steps(time_steps(job)),
      dofs(mesh),
      split(fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)),
      places_(station_places(geometry, mesh, split)),
      stations_(job, mesh, dofs, places_, geometry.fault().mesh_parts()) {
    dataset.name = job.name;
    dataset.title = job.title;
    const Domain& domain = geometry.domain();
    dataset.projected = domain.projected();
    dataset.unit_slip = geometry.slip().unit_slip();
    dataset.crs_wkt = domain.projected() ? domain.projection().wkt() : "";
    dataset.specification_json = job.specification_json;
    dataset.kaname_version = job.version;
    dataset.mesh_sha256 = io::mesh_sha256(mesh);
    dataset.material_sha256 = sha256_hex(material_text(job.structure));
    dataset.tolerance = job.solver.tolerance;
    dataset.dof = 3 * dofs.n_nodes();
    dataset.element = element_name(element_of(job, geometry, mesh));
    dataset.time_method = time_method_of(steps);
    dataset.solver_method = text_of(job.solver.method);
    dataset.gravity = job.buoyancy ? "buoyancy" : "none";
    dataset.predicted_error = geometry.predicted_errors().text();
    dataset.step_time_s = steps.grid.times_s();
    dataset.epochs_s = job.time.epochs_s.empty() ? dataset.step_time_s : job.time.epochs_s;
    dataset.slip_history = text_of(job.slip_history.kind);
    for (std::size_t k = 0; k < job.stations.size(); ++k) {
        dataset.stations.push_back(station_row(domain, job.stations[k], places_[k].snapped));
        convergences_.push_back(convergence(domain, places_[k].snapped));
    }
    summary.warnings = mesh_warnings(io::read_mesh_labels(mesh_path).report_text);
    summary.epochs = static_cast<std::int64_t>(dataset.epochs_s.size());
    summary.stations = static_cast<std::int64_t>(job.stations.size());
}

Packing::Read Packing::read_force(const std::string& source_id) {
    Read read;
    read.result =
        read_result(files, source_id, geometry.source_key(dataset.mesh_sha256, source_id));
    if (!read.result) {
        summary.lacks.push_back(source_id + ": there is no result");
        return read;
    }
    if (read.result->failed) {
        read.status = 2;
        read.failure = read.result->failure;
        summary.lacks.push_back(source_id + ": " + read.failure);
        return read;
    }
    read.status = 1;
    if (!read.result->note.empty()) {
        notes_[read.result->note].push_back(source_id);
    }
    return read;
}

Packing::Read Packing::read(const std::string& source_id) {
    Read read = read_force(source_id);
    if (read.status != 1) {
        return read;
    }
    try {
        read.fields = stations_.read(*read.result);
        to_true_north(read.fields, convergences_);
        project(read.fields, job.stations);
    } catch (const Error& error) {
        read.result.reset();
        read.status = 0;
        read.failure = error.what();
        summary.lacks.push_back(source_id + ": " + read.failure);
    }
    return read;
}

SlipOnMesh& Packing::slip() {
    if (!slip_) {
        slip_ = geometry.slip().on({mesh, dofs, split});
    }
    return *slip_;
}

void Packing::restart() {
    dataset.sources.clear();
    dataset.greens.clear();
    dataset.reduced.clear();
    dataset.events.clear();
    dataset.fault_response.reset();
    solves_ = {};
    any_by_spectrum_ = any_by_steps_ = false;
    notes_.clear();
    summary = {.epochs = summary.epochs, .stations = summary.stations};
}

StepResponse Packing::response(const SlipHistory& history) const {
    return {steps, SourceTimeFunction(history, job.time.end_s), dataset.epochs_s};
}

void Packing::add(io::GreensDataset::Source row, const Read& read, std::vector<double> motion) {
    row.status = read.status;
    row.failure = read.failure;
    if (read.result) {
        row.spectrum_error = read.result->spectrum_error;
    }
    if (read.status == 1) {
        (read.result->by_spectrum() ? any_by_spectrum_ : any_by_steps_) = true;
    }
    solves_.add(read.result ? &*read.result : nullptr);
    motion.resize(dataset.epochs_s.size() * width(), kNaN);
    dataset.greens.insert(dataset.greens.end(), motion.begin(), motion.end());
    dataset.sources.push_back(std::move(row));
}

void Packing::write(const std::string& dataset_path) {
    if (dataset.sources.empty()) {
        throw Error(ErrorCode::InvalidArgument, "no source to package");
    }
    if (steps.spectrum && any_by_steps_ && !any_by_spectrum_) {
        dataset.time_method = text_of(TimeMethod::Stepping);
    }
    for (const auto& [note, sources] : notes_) {
        const std::string others =
            sources.size() > 1 ? " and " + std::to_string(sources.size() - 1) + " others" : "";
        summary.warnings.push_back("source " + sources.front() + others + ": " + note);
    }
    if (steps.spectrum) {
        dataset.step_time_s.assign(solves_.longest(), kNaN);
        dataset.step_time_s.front() = 0.0;
    }
    solves_.move_to(dataset, dataset.step_time_s.size(), !dataset.reduced.empty());
    dataset.warnings = geometry.warnings();
    for (const std::string& warning : summary.warnings) {
        if (std::ranges::find(dataset.warnings, warning) == dataset.warnings.end()) {
            dataset.warnings.push_back(warning);
        }
    }
    io::write_greens_dataset(dataset_path, dataset);
}

}  // namespace kaname::jobs
