// SPDX-License-Identifier: BSD-3-Clause
// Inversions of docs/examples keep every rule that needs no dataset.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "solvers/base/files.hpp"

namespace kaname::request::examples_test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inversions() {
    std::vector<fs::path> found;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(KANAME_SOURCE_DIR) / "docs/examples")) {
        if (entry.path().extension() == ".yaml" &&
            schema_of_yaml(read_text_file(entry.path()), entry.path()) == "kaname.v1.Inversion") {
            found.push_back(entry.path());
        }
    }
    std::ranges::sort(found);
    return found;
}

TEST(InversionExamples, AreValid) {
    const std::vector<fs::path> files = inversions();
    EXPECT_GE(files.size(), 5u);
    for (const fs::path& file : files) {
        const TemporaryFolder work;
        // Beside its neighbours, whose files it may name.
        fs::copy(file.parent_path().parent_path(), work.path(), fs::copy_options::recursive);
        const fs::path folder = work.path() / file.parent_path().filename();
        write_file(folder / "greens.h5", "dataset");
        if (fs::exists(folder / "get_data.sh")) {
            for (const char* table : {"land.csv", "seafloor.csv"}) {
                write_file(folder / table,
                           "station,lon_deg,lat_deg,east_m,north_m,up_m\nA,141.5,38.3,5,-1,-1\n"
                           "B,142.9,38.1,22,-10,3\n");
            }
        }
        const LoadedInversion loaded =
            load_inversion(folder / file.filename(), folder / "greens.h5");

        EXPECT_EQ(loaded.tables.size(), static_cast<std::size_t>(loaded.inversion.data_size()))
            << file;
        EXPECT_FALSE(loaded.tables.front().rows.empty()) << file;
    }
}

}  // namespace
}  // namespace kaname::request::examples_test
