// SPDX-License-Identifier: BSD-3-Clause
// The values that `validate` fills in, those that `plan` uses, and those that a solver finds in its
// job and in the geometry made of it are the same, for every example.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "proto/request/greens/scenario.hpp"
#include "proto/request/greens/validate.hpp"
#include "solvers/base/vec3.hpp"
#include "tests/support/python_check.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

#if KANAME_HAVE_PROJ

namespace kaname::compute::examples_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = KANAME_SOURCE_DIR;

void write(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

/// Returns false for inversions, which have a dataset where others have a model, for campaigns,
/// which have a base, and for waves, which have models of their own. Reads no more than the line:
/// each suite's process lists the examples when it starts, and forty files read as YAML took 65 ms.
bool has_a_model(const fs::path& file) {
    const std::string text = "\n" + request::read_text_file(file.string());
    return std::ranges::none_of(
        std::array{"Inversion", "Campaign", "VoxelWaves", "SeismicWaves", "Rupture"},
        [&](const std::string& other) {
            return text.find("\nschema: kaname.v1." + other + "\n") != std::string::npos;
        });
}

/// tests/e2e/data/tiny.yaml is data_tiny: folder and file.
std::string name_of(const fs::path& file) {
    std::string name = file.parent_path().filename().string() + '_' + file.stem().string();
    std::ranges::replace(name, '-', '_');
    return name;
}

std::vector<fs::path> examples() {
    std::vector<fs::path> found;
    for (const char* folder : {"docs/examples", "tests/e2e/data"}) {
        for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
            if (entry.path().extension() == ".yaml" && has_a_model(entry.path())) {
                found.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

/// The files that examples name and the repository does not have.
void add_missing_files(const fs::path& folder) {
    const fs::path slip = folder / "slip.csv";
    if (fs::exists(folder / "tohoku.yaml") || fs::exists(folder / "relaxation.yaml")) {
        write(slip,
              "lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,"
              "rake_deg,slip_m\n142.9,38.1,22,25,20,201,14,90,20\n");
    }
    if (fs::exists(folder / "get_data.sh")) {
        for (const auto& [file, name] : {std::pair("land.csv", "A"), {"seafloor.csv", "B"}}) {
            write(folder / file, std::string("station,lon_deg,lat_deg\n") + name + ",142.5,38.1\n");
        }
    }
    if (fs::exists(folder / "make_mesh.py")) {
        ASSERT_EQ(test::python_check("docs/examples/mesh/make_mesh.py", {folder.string(), "4"}), 0);
    }
    if (fs::exists(folder / "tiny_interface.yaml")) {
        std::string slab = "lon_deg,lat_deg,depth_km\n", ground = "lon_deg,lat_deg,elevation_m\n";
        for (int j = 0; j <= 16; ++j) {
            for (int i = 0; i <= 16; ++i) {
                const std::string at =
                    std::to_string(133.0 + 0.25 * i) + ',' + std::to_string(32.0 + 0.25 * j) + ',';
                slab += at + std::to_string(2.0 + 2.5 * j) + '\n';
                ground += at + std::to_string(10.0 * i) + '\n';
            }
        }
        write(folder / "slab.csv", slab);
        write(folder / "ground.csv", ground);
    }
}

class Examples : public testing::TestWithParam<fs::path> {
protected:
    void SetUp() override {
        const fs::path from = GetParam().parent_path();
        folder_ = root_ / from.filename();
        fs::create_directories(folder_);
        fs::copy(from, folder_, fs::copy_options::recursive);
        // Examples may name files of others beside them.
        for (const auto& entry : fs::directory_iterator(from.parent_path())) {
            if (entry.is_directory() && entry.path() != from) {
                fs::create_directory_symlink(entry.path(), root_ / entry.path().filename());
            }
        }
        add_missing_files(folder_);
        loaded_ = request::load_batch_file((folder_ / GetParam().filename()).string());
        job_ = job_from_request(loaded_, request::canonical_json(batch()));
    }

    [[nodiscard]] const v1::GreensBatch& batch() const { return loaded_.batch; }

    support::TemporaryFolder temporary_;
    const fs::path& root_ = temporary_.path();
    fs::path folder_;
    request::LoadedBatch loaded_;
    jobs::GreensJob job_;
};

TEST_P(Examples, KeepTheirDefaultsOnTheWayToASolver) {
    EXPECT_TRUE(request::validate(batch()).empty());
    v1::GreensBatch again = batch();
    request::fill_defaults(again);
    EXPECT_EQ(request::to_json(again), request::to_json(batch()));
    // As it comes to kaname-compute.
    write(folder_ / "spec.json", request::to_json(batch()));
    const request::LoadedBatch sent = request::load_batch_json((folder_ / "spec.json").string());
    EXPECT_EQ(request::canonical_json(sent.batch), request::canonical_json(batch()));
    EXPECT_EQ(job_from_request(sent, "").solve_key, job_.solve_key);
}

TEST_P(Examples, HaveTheirNumbersInTheJob) {
    const v1::Mesh& mesh = batch().mesh();
    EXPECT_EQ(job_.mesh.size_at_fault_m, mesh.size_at_fault_m());
    EXPECT_EQ(job_.mesh.size_far_m, mesh.size_far_m());
    EXPECT_EQ(job_.mesh.growth, mesh.growth());
    EXPECT_EQ(job_.mesh.sizes.thinnest_layer,
              mesh.has_thinnest_layer() ? mesh.thinnest_layer() : request::kDefaultThinnestLayer);
    const v1::Time& time = batch().time();
    EXPECT_EQ(jobs::text_of(job_.time.method), time.method());
    EXPECT_EQ(job_.time.step_s, time.step_s());
    EXPECT_EQ(job_.time.max_step_s, time.max_step_s());
    EXPECT_EQ(job_.time.end_s, time.end_s());
    EXPECT_EQ(job_.time.alpha, time.alpha());
    EXPECT_EQ(job_.time.spectrum_tolerance, time.spectrum_tolerance());
    EXPECT_TRUE(std::ranges::equal(job_.time.epochs_s, time.epochs_s()));
    const v1::Solver& solver = batch().solver();
    EXPECT_EQ(jobs::text_of(job_.solver.method), solver.method());
    EXPECT_EQ(jobs::text_of(job_.solver.element), solver.element());
    EXPECT_EQ(jobs::text_of(job_.solver.predictor), solver.predictor());
    EXPECT_EQ(job_.solver.tolerance, solver.tolerance());
    EXPECT_EQ(job_.solver.max_iterations, static_cast<int>(solver.max_iterations()));
    EXPECT_EQ(job_.output.snap_tolerance_m, batch().output().snap_tolerance_m());
    EXPECT_EQ(job_.output.surface, batch().output().surface() != request::kSurfaceNone);
    EXPECT_EQ(job_.buoyancy, batch().gravity() == "buoyancy");
    EXPECT_EQ(jobs::text_of(job_.slip_history.kind), batch().slip_history().kind());
}

TEST_P(Examples, HaveTheirSidesInTheJob) {
    using enum jobs::BoundaryKind;
    using Side = v1::BoundarySide;
    if (batch().mesh().has_file()) {
        EXPECT_EQ(std::get<jobs::MeshFileFaults>(job_.fault).top, batch().mesh().top());
        return;
    }
    const std::map<Side::Kind, jobs::BoundaryKind> kinds = {
        {Side::KIND_FREE, Free}, {Side::KIND_FIXED, Fixed}, {Side::KIND_ROLLER, Roller}};
    const v1::Boundaries& sides = batch().boundaries();
    EXPECT_EQ(job_.boundaries.kind[0], kinds.at(sides.west().kind()));
    EXPECT_EQ(job_.boundaries.kind[1], kinds.at(sides.east().kind()));
    EXPECT_EQ(job_.boundaries.kind[2], kinds.at(sides.south().kind()));
    EXPECT_EQ(job_.boundaries.kind[3], kinds.at(sides.north().kind()));
    EXPECT_EQ(job_.boundaries.kind[4], kinds.at(sides.bottom().kind()));
    EXPECT_EQ(job_.boundaries.kind[5], kinds.at(sides.top().kind()));
}

TEST_P(Examples, HaveTheSourcesThatThePlanNames) {
    std::vector<std::string> planned;
    for (const request::PlannedSource& source : request::make_plan(loaded_).sources) {
        planned.push_back(source.id);
    }
    EXPECT_FALSE(planned.empty());
    EXPECT_EQ(request::source_ids(batch()), planned);
    if (job_.volumes) {
        // No source depends on how finely surfaces are sampled, which takes most of the time.
        for (earth::SurfaceDefinition& surface : job_.volumes->surfaces) {
            surface.spacing_m = job_.region.size_east_m / 50.0;
        }
    }
    jobs::build_volumes(job_);

    const jobs::JobGeometry geometry(job_);

    EXPECT_EQ(geometry.source_ids(), planned);
    if (job_.scenario) {
        EXPECT_EQ(job_.scenario->total_id, request::kTotal);
        return;
    }
    if (batch().fault().has_mesh()) {
        return;
    }
    const auto& sources = jobs::patches(geometry).sources;
    ASSERT_EQ(sources.size(), job_.patches.sources.size());
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const auto& given = job_.patches.sources[k];
        const jobs::FaultPatch& patch = job_.patches.patches.at(given.patch);
        EXPECT_EQ(sources[k].id, planned[k]);
        EXPECT_EQ(sources[k].component, given.component);
        EXPECT_EQ(sources[k].id, patch.id + "/" + given.component);
        EXPECT_NEAR(sources[k].rake_rad, given.rake_deg * M_PI / 180.0, 1e-14);
        EXPECT_EQ(sources[k].patch.id, patch.id);
        EXPECT_EQ(sources[k].patch.column, patch.column);
        EXPECT_EQ(sources[k].patch.row, patch.row);
    }
}

/// The components that a fault's message names; its rakes in place of them.
template <class Fault>
std::vector<std::string> names_of(const Fault& fault) {
    return {fault.components().begin(), fault.components().end()};
}

TEST_P(Examples, HaveTheComponentsThatTheSpecificationNames) {
    const v1::Fault& fault = batch().fault();
    if (job_.scenario || fault.has_mesh()) {
        EXPECT_TRUE(job_.patches.sources.empty());
        return;
    }
    const bool rakes = fault.has_plane() && !fault.plane().rake_deg().empty();
    const std::vector<std::string> names =
        fault.has_interface() ? names_of(fault.interface().patches()) : names_of(fault.plane());
    const std::size_t n = rakes ? fault.plane().rake_deg_size() : names.size();
    ASSERT_EQ(job_.patches.sources.size(), n * job_.patches.patches.size());
    for (std::size_t k = 0; k < job_.patches.sources.size(); ++k) {
        const jobs::UnitSlip& source = job_.patches.sources[k];
        EXPECT_EQ(source.patch, static_cast<int>(k / n));
        if (rakes) {
            EXPECT_EQ(source.rake_deg, fault.plane().rake_deg(static_cast<int>(k % n)));
        } else {
            EXPECT_EQ(source.component, names[k % n]);
            EXPECT_EQ(source.rake_deg, names[k % n] == "dip_slip" ? 90.0 : 0.0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(examples()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace kaname::compute::examples_test

#endif
