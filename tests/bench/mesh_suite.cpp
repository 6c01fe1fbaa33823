// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/earth/columns.hpp"
#include "solvers/fault/fault_report.hpp"
#include "solvers/mesh/quality.hpp"
#include "solvers/meshing/cleaving/interface_error.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_mesh.hpp"
#include "tests/bench/mesh_iterations.hpp"
#include "tests/bench/mesh_models.hpp"
#include "tests/bench/resident.hpp"
#include "tests/bench/suites.hpp"
#include "tests/support/random_model.hpp"

namespace kaname::bench {
namespace {

constexpr const char* kRandom = "random";

std::vector<std::string> cases_of(const Options& options) {
    if (!options.cases.empty()) {
        return options.cases;
    }
    std::vector<std::string> cases = mesh_model_names(options.size);
    cases.emplace_back(kRandom);
    return cases;
}

/// Seconds of each stage that a mesh source names.
class Stages {
public:
    void operator()(const char* stage) {
        const auto now = Clock::now();
        if (!current_.empty()) {
            seconds_[current_] += std::chrono::duration<double>(now - since_).count();
        }
        current_ = stage;
        since_ = now;
    }
    [[nodiscard]] const std::map<std::string, double>& seconds() const { return seconds_; }

private:
    std::string current_;
    Clock::time_point since_;
    std::map<std::string, double> seconds_;
};

/// Elements outside of these are faults of the mesher.
constexpr double kMin_deg = 5.0, kMost_deg = 168.0, kUsualMin_deg = 8.0;

bool angles_hold(const mesh::QualityReport& quality) {
    return quality.min_dihedral_deg >= kMin_deg && quality.max_dihedral_deg <= kMost_deg &&
           quality.p001_min_dihedral_deg >= kUsualMin_deg;
}

/// Adds figures of one model.
class Figures {
public:
    Figures(Report& report, const std::string& model, std::int64_t dof) : report_(report) {
        row_.model = model;
        row_.method = "cleaving";
        row_.vectors = 1;
        row_.threads = device::max_threads();
        row_.dof = dof;
    }
    void operator()(const std::string& metric, const char* unit, double value) {
        report_.add(row_, metric, unit, summarize({value}));
    }

private:
    Report& report_;
    Row row_;
};

void add_quality(const mesh::QualityReport& quality, Figures& add) {
    add("min_dihedral_deg", "deg", quality.min_dihedral_deg);
    add("p999_min_dihedral_deg", "deg", quality.p001_min_dihedral_deg);
    add("max_dihedral_deg", "deg", quality.max_dihedral_deg);
    if (quality.sizes) {
        add("within_two_of_size", "1", quality.sizes->within_two);
    }
}

void add_interfaces(const cleaving::InterfaceError& error, Figures& add) {
    add("interface_error_mean_local_size", "1", error.all.mean);
    add("interface_error_p99_local_size", "1", error.all.p99);
    add("interface_error_max_local_size", "1", error.all.max);
    for (const auto& surface : error.surfaces) {
        std::fprintf(stderr, "  %s: %lld faces, mean %.3f p99 %.3f max %.3f of the local size\n",
                     surface.name.c_str(), static_cast<long long>(surface.faces), surface.mean,
                     surface.p99, surface.max);
    }
}

void add_volumes(const mesh::QualityReport& quality, const earth::VolumeModel& model,
                 Figures& add) {
    const std::vector<double> exact = earth::volumes_m3(model);
    double worst = 0.0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        const double difference = quality.volume_per_volume[k] / exact[k] - 1.0;
        std::fprintf(stderr, "  volume %s: %+.3f %%\n", model.volumes[k].name.c_str(),
                     100.0 * difference);
        worst = std::max(worst, std::abs(difference));
    }
    add("volume_difference_max", "1", worst);
}

void add_iterations(const mesh::TetMesh& mesh, Figures& add) {
    const FirstSolve here = solve_first(mesh);
    const FirstSolve lattice = solve_first(lattice_with(std::ssize(mesh.tets)));
    std::fprintf(stderr, "  first solve: %d iterations, %.1f s; lattice of %lld unknowns: %d\n",
                 here.iterations, here.seconds, static_cast<long long>(lattice.dof),
                 lattice.iterations);
    add("default_iterations", "1", here.iterations);
    add("lattice_iterations", "1", lattice.iterations);
    add("iterations_over_lattice", "1",
        static_cast<double>(here.iterations) / static_cast<double>(lattice.iterations));
}

void measure_model(const std::string& name, const Options& options, Report& report) {
    std::fprintf(stderr, "%s\n", name.c_str());
    const ResidentGrowth memory;
    auto start = Clock::now();
    MeshModel model = make_mesh_model(name, options.data_folder);
    const double model_s = seconds_since(start);
    for (const std::string& note : model.notes) {
        std::fprintf(stderr, "  %s\n", note.c_str());
    }
    const cleaving::VolumeMeshParams& request = model.request;
    Stages stages;
    start = Clock::now();
    const mesh::TetMesh mesh = cleaving::make_volume_mesh(request)->build(
        [&](double, const char* stage) { stages(stage); });
    const double mesh_s = seconds_since(start);
    const auto peak_bytes = memory.peak_bytes();

    start = Clock::now();
    const mesh::FaceSet faces =
        mesh::check_mesh(mesh, static_cast<int>(request.model->materials.size()));
    const cleaving::SizeField sizes(request.sizes, request.box, request.model);
    // The boxes are not turned: the mesh is in the frame of the sizes.
    const mesh::QualityReport quality =
        mesh::measure_quality(mesh, faces, [&](const Vec3& x) { return sizes.at(x); });
    const auto error = cleaving::measure_interface_error(mesh, *request.model, request.faults,
                                                         request.box.azimuth_rad);
    const auto faults = fault::report_faults(mesh);
    const double report_s = seconds_since(start);

    const auto tets = static_cast<double>(quality.tets);
    std::fprintf(stderr, "  %lld elements in %.2f s, checked and reported in %.2f s\n",
                 static_cast<long long>(quality.tets), mesh_s, report_s);
    Figures add(report, name, quality.dof());
    add("elements", "1", tets);
    add("model_s", "s", model_s);
    add("mesh_s", "s", mesh_s);
    for (const auto& [stage, seconds] : stages.seconds()) {
        add("mesh_" + stage + "_s", "s", seconds);
    }
    add("report_s", "s", report_s);
    add("elements_per_min_per_core", "1/min", 60.0 * tets / (mesh_s * device::max_threads()));
    if (peak_bytes) {
        add("peak_bytes_per_element", "B", *peak_bytes / tets);
    }
    add_quality(quality, add);
    add_interfaces(error, add);
    add("interface_error_p99_suited", "1",
        cleaving::measure_interface_error(mesh, *request.model, request.faults,
                                          request.box.azimuth_rad, &sizes)
            .suited.p99);
    add_volumes(quality, *request.model, add);
    add("fault_faces", "1", static_cast<double>(quality.fault_faces));
    add("fault_pieces", "1", faults.at(0).pieces);
    add("fault_top_depth_m", "m", faults.at(0).top_depth_m);
    if (quality.tets <= options.most_solved) {
        add_iterations(mesh, add);
    }
}

/// The 99th percentile of each random model's interface error: in units of its elements, in units
/// of the sizes asked for, and in the latter where these suit the layers.
struct InterfaceP99 {
    std::vector<double> local, asked, suited;
};

/// Describes the fault in the mesh of one random model; empty when the mesh is as it must be.
std::string trouble_with(std::uint64_t seed, double far_cells, std::int64_t& tets,
                         InterfaceP99& interfaces, mesh::QualityReport& worst) {
    const cleaving::VolumeMeshParams request = test::random_model(seed, far_cells);
    try {
        const mesh::TetMesh mesh =
            cleaving::make_volume_mesh(request)->build([](double, const char*) {});
        const mesh::FaceSet faces =
            mesh::check_mesh(mesh, static_cast<int>(request.model->materials.size()));
        const mesh::QualityReport quality = mesh::measure_quality(mesh, faces);
        tets += quality.tets;
        worst.min_dihedral_deg = std::min(worst.min_dihedral_deg, quality.min_dihedral_deg);
        worst.max_dihedral_deg = std::max(worst.max_dihedral_deg, quality.max_dihedral_deg);
        worst.p001_min_dihedral_deg =
            std::min(worst.p001_min_dihedral_deg, quality.p001_min_dihedral_deg);
        const auto error = [&](const cleaving::SizeField* sizes) {
            return cleaving::measure_interface_error(mesh, *request.model, request.faults,
                                                     request.box.azimuth_rad, sizes);
        };
        const cleaving::SizeField sizes(request.sizes, request.box, request.model);
        interfaces.local.push_back(error(nullptr).all.p99);
        const cleaving::InterfaceError asked = error(&sizes);
        interfaces.asked.push_back(asked.all.p99);
        interfaces.suited.push_back(asked.suited.p99);
        if (!angles_hold(quality)) {
            char text[120];
            std::snprintf(text, sizeof text, "angles %.2f to %.2f degrees, 99.9 %% above %.2f",
                          quality.min_dihedral_deg, quality.max_dihedral_deg,
                          quality.p001_min_dihedral_deg);
            return text;
        }
        for (const fault::FaultReport& fault : fault::report_faults(mesh)) {
            if (!request.faults.empty() && (fault.split_nodes == 0 || fault.orphan_nodes > 0)) {
                return "fault has " + std::to_string(fault.split_nodes) + " nodes that can slip, " +
                       std::to_string(fault.orphan_nodes) + " that should";
            }
        }
    } catch (const std::exception& error) {
        const std::string text = error.what();
        return text.substr(0, text.find('\n'));
    }
    return "";
}

void measure_random(const Options& options, Report& report) {
    constexpr double kFarCells = 16.0;
    std::fprintf(stderr, "random: %d models\n", options.count);
    std::int64_t tets = 0;
    int ok = 0;
    InterfaceP99 interfaces;
    mesh::QualityReport worst;
    worst.min_dihedral_deg = worst.p001_min_dihedral_deg = 180.0;
    const auto start = Clock::now();
    for (int seed = 1; seed <= options.count; ++seed) {
        const std::string trouble =
            trouble_with(static_cast<std::uint64_t>(seed), kFarCells, tets, interfaces, worst);
        ok += trouble.empty() ? 1 : 0;
        if (!trouble.empty()) {
            std::fprintf(stderr, "  seed %d: %s\n", seed, trouble.c_str());
        }
    }
    Figures add(report, kRandom, 0);
    add("random_models", "1", options.count);
    add("random_models_ok", "1", ok);
    add("elements", "1", static_cast<double>(tets));
    add("seconds", "s", seconds_since(start));
    if (!interfaces.local.empty()) {
        add_quality(worst, add);
        add("interface_error_p99_local_size", "1", summarize(interfaces.local).median);
        add("interface_error_p99_size_asked", "1", summarize(interfaces.asked).median);
        add("interface_error_p99_suited", "1", summarize(interfaces.suited).median);
        add("interface_error_p99_suited_most", "1", *std::ranges::max_element(interfaces.suited));
        add("random_models_suited_below_quarter", "1",
            static_cast<double>(
                std::ranges::count_if(interfaces.suited, [](double p) { return p <= 0.25; })));
    }
}

}  // namespace

void check_mesh_options(const Options& options) {
    std::vector<std::string> known = mesh_model_names(Size::Large);
    known.emplace_back(kRandom);
    std::string listed;
    for (const std::string& name : known) {
        listed += (listed.empty() ? "" : ", ") + name;
    }
    bool reads = false;
    for (const std::string& name : cases_of(options)) {
        reads |= name != kRandom;
        if (std::ranges::count(known, name) == 0) {
            throw Error(ErrorCode::InvalidArgument,
                        "--case must be one of " + listed + ", got '" + name + "'");
        }
    }
    if (reads && !std::filesystem::is_directory(options.data_folder)) {
        throw Error(ErrorCode::InvalidArgument,
                    "--data must name a folder, got '" + options.data_folder + "'");
    }
}

void run_mesh(const Options& options, Report& report) {
    for (const std::string& name : cases_of(options)) {
        if (name == kRandom) {
            measure_random(options, report);
        } else {
            measure_model(name, options, report);
        }
    }
}

}  // namespace kaname::bench
