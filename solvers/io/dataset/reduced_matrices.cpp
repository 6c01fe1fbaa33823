// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/reduced_matrices.hpp"

#include "solvers/base/error.hpp"

namespace kaname::io {

void ReducedMatrices::check(const std::string& place) const {
    const auto n = static_cast<std::size_t>(n_basis);
    const std::size_t groups = n_branches.size();
    std::size_t branches = 0;
    for (const std::int32_t count : n_branches) {
        branches += static_cast<std::size_t>(count);
    }
    if (A_el.size() != n * n || A.size() != groups * n * n || b.size() != groups * n ||
        share.size() != branches || rate_per_s.size() != branches) {
        throw Error(ErrorCode::InvalidArgument,
                    place + ": reduced model of " + std::to_string(n) + " basis vectors and " +
                        std::to_string(groups) + " groups has " + std::to_string(A_el.size()) +
                        ", " + std::to_string(A.size()) + ", " + std::to_string(b.size()) +
                        " values in A_el, A, b and " + std::to_string(share.size()) + ", " +
                        std::to_string(rate_per_s.size()) +
                        " shares and rates; must be n^2, G n^2, G n and the branches twice");
    }
}

void write_reduced(GroupWriter& group, const ReducedMatrices& reduced) {
    const auto n = static_cast<std::size_t>(reduced.n_basis);
    // netCDF readers know a dimension once per variable: the columns have one of their own.
    group.bare_dimension("basis", n);
    group.bare_dimension("basis_column", n);
    group.bare_dimension("material_group", reduced.n_branches.size());
    group.bare_dimension("branch", reduced.share.size());
    group.variable("A_el", {"basis", "basis_column"}, reduced.A_el, "1",
                   "unrelaxed stiffness between the basis' shapes");
    group.variable("A", {"material_group", "basis", "basis_column"}, reduced.A, "1",
                   "shear stiffness of each group of relaxing elements between the basis' shapes");
    group.variable("b", {"material_group", "basis"}, reduced.b, "1",
                   "load on the basis' shapes when a group relaxes");
    group.variable("n_branches", {"material_group"}, reduced.n_branches, "1",
                   "relaxing branches of each group, which follow each other in share and rate");
    group.variable("share", {"branch"}, reduced.share, "1",
                   "part of the shear modulus that the branch relaxes");
    group.variable("rate", {"branch"}, reduced.rate_per_s, "s-1", "relaxation rate of the branch");
}

ReducedMatrices read_reduced(const h5::File& file, const std::string& group) {
    ReducedMatrices reduced;
    reduced.n_basis = static_cast<std::int64_t>(file.dims(group + "/A_el").at(0));
    reduced.A_el = file.read<double>(group + "/A_el");
    reduced.A = file.read<double>(group + "/A");
    reduced.b = file.read<double>(group + "/b");
    reduced.n_branches = file.read<std::int32_t>(group + "/n_branches");
    reduced.share = file.read<double>(group + "/share");
    reduced.rate_per_s = file.read<double>(group + "/rate");
    reduced.check(file.path());
    return reduced;
}

}  // namespace kaname::io
