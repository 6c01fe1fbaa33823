// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/mesh/gmsh/gmsh_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "solvers/base/error.hpp"
#include "solvers/mesh/gmsh/msh_versions.hpp"

namespace kaname::mesh {
namespace {

/// Version, encoding and size of a number; in binary a one follows, which shows the order of bytes.
std::unique_ptr<MshVersion> read_format(MshInput& input) {
    const double version = input.text_number("version");
    const std::int64_t encoding = input.text_integer("encoding");
    const std::int64_t data_size = input.text_integer("size of a number");
    const bool two = std::abs(version - 2.2) < 1e-9;
    if (!two && std::abs(version - 4.1) >= 1e-9) {
        input.fail("version must be 2.2 or 4.1, got " + std::to_string(version) +
                   "; in Gmsh: Mesh.MshFileVersion = 4.1");
    }
    if (encoding != 0 && encoding != 1) {
        input.fail("encoding must be 0 (ASCII) or 1 (binary), got " + std::to_string(encoding));
    }
    if (data_size != 8) {
        input.fail("size of a number must be 8, got " + std::to_string(data_size));
    }
    if (encoding == 1) {
        constexpr std::int32_t kOneSwapped = 0x01000000;
        input.line();
        input.set_binary(false);
        const std::int32_t one = input.int32("the number 1");
        if (one != 1 && one != kOneSwapped) {
            input.fail("the order of bytes must be shown by the number 1, got " +
                       std::to_string(one));
        }
        input.set_binary(one != 1);
    }
    if (two) {
        return std::make_unique<Msh2>();
    }
    return std::make_unique<Msh4>();
}

void read_names(MshInput& input, MshBuilder& builder) {
    const std::int64_t n_names = input.text_integer("number of names");
    for (std::int64_t k = 0; k < n_names; ++k) {
        const std::int64_t dim = input.text_integer("dimension of a physical group");
        const std::int64_t group = input.text_integer("physical group");
        if (dim < 0 || dim > 3 || group < 1 || group > 2147483647) {
            input.fail("physical group must be a positive number of dimension 0..3, got " +
                       std::to_string(group) + " of dimension " + std::to_string(dim));
        }
        builder.name_group(static_cast<int>(dim), static_cast<std::int32_t>(group),
                           input.quoted("name of a physical group"));
    }
}

}  // namespace

GmshMesh parse_gmsh(std::string_view bytes, const std::string& name) {
    MshInput input(bytes, name);
    MshBuilder builder;
    if (input.next_section() != "MeshFormat") {
        input.fail("must begin with $MeshFormat");
    }
    const std::unique_ptr<MshVersion> version = read_format(input);
    input.close_section();
    std::set<std::string> seen;
    for (std::string section = input.next_section(); !section.empty();
         section = input.next_section()) {
        if (section == "Elements" && !builder.has_nodes()) {
            input.fail("must follow $Nodes");
        }
        if (section == "PhysicalNames") {
            read_names(input, builder);
        } else if (!version->read(section, input, builder)) {
            input.skip_section();
            continue;
        }
        if (!seen.insert(section).second) {
            input.fail("stands twice");
        }
        input.close_section();
    }
    return builder.take(input);
}

GmshMesh read_gmsh(const std::string& path) {
    constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 30;  // it is read whole
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    if (!failed && size > kMostBytes) {
        throw Error(ErrorCode::InvalidArgument, "mesh file '" + path +
                                                    "': size must be at most 4 GiB, got " +
                                                    std::to_string(size) + " bytes");
    }
    std::ifstream file(path, std::ios::binary);
    std::string bytes(failed ? 0 : size, '\0');
    if (failed || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
        throw Error(ErrorCode::NotFound, "mesh file '" + path + "' cannot be read");
    }
    return parse_gmsh(bytes, path);
}

}  // namespace kaname::mesh
