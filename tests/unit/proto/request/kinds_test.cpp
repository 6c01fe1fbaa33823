// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/kinds.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "proto/request/form/json.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/plan.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::request::kinds_test {
namespace {

std::string example() {
    return std::string(KANAME_SOURCE_DIR) + "/tests/e2e/data/tiny.yaml";
}

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(GreensKind, YieldsSourcesThenMeshThenThePackageThatGathersThem) {
    const LoadedBatch loaded = load_batch_file(example());
    const Plan plan = make_plan(loaded);

    const TaskGraph graph = greens_graph(loaded);

    ASSERT_EQ(graph.tasks.size(), plan.sources.size() + 2);
    EXPECT_EQ(graph.n_sources(), plan.sources.size());
    for (std::size_t k = 0; k < plan.sources.size(); ++k) {
        const Task& solve = graph.tasks[k];
        EXPECT_EQ(solve.verb, "solve");
        EXPECT_EQ(solve.label, plan.sources[k].id);
        EXPECT_EQ(solve.key, plan.sources[k].key);
        EXPECT_EQ(solve.compat_key, plan.compat_key);
        EXPECT_EQ(solve.pool, kSolvePool);
        EXPECT_EQ(solve.needs, std::vector<std::string>{plan.mesh_key});
        EXPECT_TRUE(solve.source && solve.session);
    }
    const Task& mesh = graph.tasks[plan.sources.size()];
    EXPECT_EQ(mesh.verb, "mesh");
    EXPECT_EQ(mesh.pool, kCpuPool);
    EXPECT_TRUE(mesh.needs.empty() && mesh.compat_key.empty() && !mesh.session);
    const Task& package = graph.tasks.back();
    EXPECT_EQ(package.key, plan.package_key);
    EXPECT_EQ(package.needs, std::vector<std::string>{plan.mesh_key});
    EXPECT_EQ(package.gathers.size(), plan.sources.size());
    EXPECT_EQ(package.gathers.front(), plan.sources.front().key);
    EXPECT_FALSE(package.source);
}

TEST(GreensKind, TheSameRequestComesFromYamlAndFromItsJson) {
    const Kinds& kinds = built_in_kinds();
    const auto written = kinds.load(example());

    const auto message = kinds.parse(to_json(written->message()), "text");
    const auto read = kinds.of(*message).check(*message);

    EXPECT_EQ(read->name(), "tiny");
    EXPECT_EQ(to_json(read->message()), to_json(written->message()));
    EXPECT_EQ(kinds.of(*message).content_hash(*message),
              content_hash(load_batch_file(example()).batch));
    EXPECT_EQ(read->graph().tasks.back().key, written->graph().tasks.back().key);
}

TEST(GreensKind, PreflightSettlesWhetherSurfacesAreStored) {
    const auto wanted = built_in_kinds().load(example());
    const std::string before = wanted->graph().tasks.back().key;
    v1::Estimate found;
    wanted->settle(found);
    EXPECT_EQ(wanted->graph().tasks.back().key, before);

    found.set_surface_stored(false);
    wanted->settle(found);

    EXPECT_EQ(dynamic_cast<const v1::GreensBatch&>(wanted->message()).output().surface(), "none");
    EXPECT_NE(wanted->graph().tasks.back().key, before);
}

TEST(Kinds, NameWhatTheyKnow) {
    const Kinds& kinds = built_in_kinds();

    EXPECT_EQ(&kinds.of_schema("kaname.v1.Scenario"), &kinds.of_schema("kaname.v1.GreensBatch"));
    EXPECT_EQ(error_of([&] { (void)kinds.parse(R"({"schema": "kaname.v1.Dream"})", "text"); }),
              "schema: must be one of kaname.v1.GreensBatch, kaname.v1.Scenario, "
              "kaname.v1.Inversion, kaname.v1.VoxelWaves, kaname.v1.SeismicWaves, "
              "kaname.v1.Rupture, got 'kaname.v1.Dream'");
    EXPECT_TRUE(error_of([&] {
                    (void)kinds.parse("[1, 2]", "file 'x'");
                }).starts_with("file 'x' is not a request in JSON: "));
    EXPECT_EQ(error_of([&] { (void)kinds.of_type("kaname.v1.Job", "type"); }),
              "type: must hold one of kaname.v1.GreensBatch, kaname.v1.Inversion, "
              "kaname.v1.VoxelWaves, kaname.v1.SeismicWaves, kaname.v1.Rupture, got "
              "'kaname.v1.Job'");
}

TEST(Kinds, AFileWithoutASchemaLacksThatAlone) {
    const support::TemporaryFolder folder;
    const std::string path = folder.path("a.yaml");
    std::ofstream(path) << "name: a\nevents: [{name: main}]\n";

    EXPECT_EQ(error_of([&] { (void)built_in_kinds().load(path); }),
              "schema: must be given, one of kaname.v1.GreensBatch, kaname.v1.Scenario, "
              "kaname.v1.Inversion, kaname.v1.VoxelWaves, kaname.v1.SeismicWaves, "
              "kaname.v1.Rupture");
}

}  // namespace
}  // namespace kaname::request::kinds_test
