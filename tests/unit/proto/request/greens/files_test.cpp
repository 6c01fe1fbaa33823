// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "proto/request/form/json.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::files_test {
namespace {

using namespace examples;

TEST(ResolveFiles, MakesPathsAbsoluteAndHashesTheBytes) {
    const Folder folder;
    const std::string slab = folder.write("slab.csv", "slab");
    const std::string gnss = folder.write("gnss.csv", kStationCsv);
    v1::GreensBatch batch = read_yaml(kInterfaceYaml);
    batch.mutable_fault()->mutable_interface()->mutable_surface()->set_path("sub/../slab.csv");

    const std::vector<Violation> broken = resolve_files(batch, folder.path());

    EXPECT_EQ(lines(broken), "");
    EXPECT_EQ(batch.fault().interface().surface().path(), slab);
    EXPECT_EQ(batch.fault().interface().surface().sha256(), sha256_hex("slab"));
    EXPECT_EQ(batch.stations().files(0).path(), gnss);
    EXPECT_EQ(batch.stations().files(0).sha256(), sha256_hex(kStationCsv));
}

TEST(ResolveFiles, RefusesATableThatIsTooLargeWithoutReadingIt) {
    const Folder folder;
    const std::string slab = folder.write("slab.csv", "");
    const std::string mesh = folder.write("mesh.msh", "$MeshFormat\n");
    std::filesystem::resize_file(slab, 200'000'000'000);  // sparse: no byte is on the disk
    std::filesystem::resize_file(mesh, (64 << 20) + 1);
    v1::GreensBatch batch;
    batch.mutable_fault()->mutable_interface()->mutable_surface()->set_path(slab);

    EXPECT_EQ(lines(resolve_files(batch, "/")),
              "fault.interface.surface: file '" + slab +
                  "' must have at most 64 MiB, as every table has, got 200000000000 bytes\n");
    batch.mutable_fault()->mutable_interface()->mutable_surface()->set_path(mesh);
    EXPECT_EQ(lines(resolve_files(batch, "/")), "");
}

TEST(ResolveFiles, KeepsAbsolutePaths) {
    const Folder folder;
    const std::string slab = folder.write("slab.csv", "slab");
    v1::GreensBatch batch;
    batch.mutable_fault()->mutable_interface()->mutable_surface()->set_path(slab);

    EXPECT_EQ(lines(resolve_files(batch, "/nowhere")), "");
    EXPECT_EQ(batch.fault().interface().surface().path(), slab);
}

TEST(ResolveFiles, NamesEveryFileThatCannotBeUsed) {
    const Folder folder;
    v1::GreensBatch batch = read_yaml(kInterfaceYaml);
    batch.mutable_stations()->add_files()->set_path(".");
    batch.mutable_stations()->add_files()->set_path("");

    const std::vector<Violation> broken = resolve_files(batch, folder.path());

    EXPECT_EQ(lines(broken), "fault.interface.surface: file '" + folder.path() +
                                 "/slab.csv' does not exist\n"
                                 "stations.files[0]: file '" +
                                 folder.path() +
                                 "/gnss.csv' does not exist\n"
                                 "stations.files[1]: file '" +
                                 folder.path() + "/' is not a regular file\n");
}

TEST(ResolveFiles, NoticesAFileThatIsNotTheOneNamed) {
    const Folder folder;
    const std::string path = folder.write("slab.csv", "slab");
    v1::GreensBatch batch;
    v1::File& file = *batch.mutable_fault()->mutable_interface()->mutable_surface();
    file.set_path(path);
    file.set_sha256(sha256_hex("another"));

    EXPECT_EQ(lines(resolve_files(batch, "/")),
              "fault.interface.surface: file '" + path + "' has sha256 " + sha256_hex("slab") +
                  ", the request says " + sha256_hex("another") + "\n");
}

}  // namespace
}  // namespace kaname::request::files_test
