// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/reduced_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "solvers/base/error.hpp"

namespace kaname::io {
namespace {

bool finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Checks the viscosity range of a reduced model of n vectors and G groups. Throws InvalidArgument
/// when sizes or indices disagree or a number is not finite.
void check_range(const ReducedRange& range, std::size_t n, std::size_t groups,
                 const std::string& place) {
    const std::size_t parameters = range.parameter.size(), samples = range.sample_motion.size();
    const auto known = [&](std::int32_t of) {
        return of >= -1 && of < static_cast<std::int32_t>(parameters);
    };
    const auto of_groups = [&](const auto&... values) {
        return ((values.size() == groups) && ...);
    };
    const bool sizes = parameters > 0 && range.from_pa_s.size() == parameters &&
                       range.to_pa_s.size() == parameters &&
                       range.reference_pa_s.size() == parameters &&
                       of_groups(range.mu_pa, range.relaxed_mu_pa, range.kelvin_mu_pa,
                                 range.viscosity_pa_s, range.kelvin_viscosity_pa_s, range.viscosity,
                                 range.kelvin_viscosity, range.bulk) &&
                       range.sample_log_g.size() == samples * groups &&
                       (n == 0 ? range.seen.empty() : range.seen.size() % n == 0);
    if (!sizes || !std::ranges::all_of(range.viscosity, known) ||
        !std::ranges::all_of(range.kelvin_viscosity, known)) {
        throw Error(ErrorCode::InvalidArgument,
                    place + ": the range of a reduced model of " + std::to_string(n) +
                        " basis vectors and " + std::to_string(groups) +
                        " groups is damaged: its sizes or indices of parameters disagree");
    }
    const std::vector<double> numbers = {range.tolerance, range.error, range.end_s, range.left,
                                         range.least};
    for (const auto* values :
         {&range.factor, &range.seen, &range.sample_log_g, &range.sample_motion, &range.mu_pa,
          &range.relaxed_mu_pa, &range.kelvin_mu_pa, &range.viscosity_pa_s,
          &range.kelvin_viscosity_pa_s, &range.from_pa_s, &range.to_pa_s, &range.reference_pa_s,
          &numbers}) {
        if (!finite(*values)) {
            throw Error(ErrorCode::InvalidArgument,
                        place + ": the range of a reduced model must have finite numbers");
        }
    }
}

void write_range(GroupWriter& group, const ReducedRange& range, std::size_t n) {
    const std::span<const std::string> names(range.parameter);
    group.dimension("parameter", names, "", "viscosity that answers may choose");
    group.bare_dimension("factor_entry", range.factor.size());
    group.bare_dimension("seen_number", n == 0 ? 0 : range.seen.size() / n);
    group.bare_dimension("sample", range.sample_motion.size());
    const auto parameters = [&](const char* name, const auto& values, const char* text) {
        group.variable(name, {"parameter"}, values, "Pa s", text);
    };
    const auto groups = [&](const char* name, const auto& values, const char* units,
                            const char* text) {
        group.variable(name, {"material_group"}, values, units, text);
    };
    parameters("viscosity_from", range.from_pa_s, "lowest viscosity that is answered");
    parameters("viscosity_to", range.to_pa_s, "highest viscosity that is answered");
    parameters("viscosity_reference", range.reference_pa_s, "viscosity of the file's own motion");
    groups("mu", range.mu_pa, "Pa", "unrelaxed shear modulus");
    groups("relaxed_mu", range.relaxed_mu_pa, "Pa", "what is left of it; 0: nothing need be");
    groups("kelvin_mu", range.kelvin_mu_pa, "Pa", "shear modulus of a Kelvin element; 0: none");
    groups("viscosity", range.viscosity_pa_s, "Pa s", "viscosity where no parameter says it");
    groups("kelvin_viscosity", range.kelvin_viscosity_pa_s, "Pa s",
           "viscosity of the Kelvin element where no parameter says it");
    groups("viscosity_parameter", range.viscosity, "1", "parameter of the viscosity; -1: none");
    groups("kelvin_parameter", range.kelvin_viscosity, "1",
           "parameter of the Kelvin element's viscosity; -1: none");
    groups("bulk", range.bulk, "1", "1: of the fully integrated volume strain");
    group.variable("factor", {"factor_entry"}, range.factor, "1",
                   "triangular factor of the forces that the basis can leave, by rows");
    group.variable("seen", {"seen_number", "basis"}, range.seen, "m",
                   "largest observed motions of the basis' shapes");
    group.variable("sample_log_g", {"sample", "material_group"}, range.sample_log_g, "1",
                   "natural logarithm of the moduli of a solve, over the unrelaxed ones");
    group.variable("sample_motion", {"sample"}, range.sample_motion, "1",
                   "motion per force of that solve");
    const std::vector<double> numbers = {static_cast<double>(range.n_solves),
                                         range.tolerance,
                                         range.error,
                                         range.end_s,
                                         range.left,
                                         range.least};
    group.bare_dimension("certificate_number", numbers.size());
    group.variable("certificate", {"certificate_number"}, numbers, "1",
                   "solves, tolerance, certified error, end in s, forces that the elastic solve "
                   "left, least motion that counts");
}

std::optional<ReducedRange> read_range(const h5::File& file, const std::string& group) {
    const auto in = [&](const char* name) { return group + "/" + name; };
    if (!file.has(in("parameter"))) {
        return std::nullopt;
    }
    ReducedRange range;
    range.parameter = file.read_strings(in("parameter"));
    range.from_pa_s = file.read<double>(in("viscosity_from"));
    range.to_pa_s = file.read<double>(in("viscosity_to"));
    range.reference_pa_s = file.read<double>(in("viscosity_reference"));
    range.mu_pa = file.read<double>(in("mu"));
    range.relaxed_mu_pa = file.read<double>(in("relaxed_mu"));
    range.kelvin_mu_pa = file.read<double>(in("kelvin_mu"));
    range.viscosity_pa_s = file.read<double>(in("viscosity"));
    range.kelvin_viscosity_pa_s = file.read<double>(in("kelvin_viscosity"));
    range.viscosity = file.read<std::int32_t>(in("viscosity_parameter"));
    range.kelvin_viscosity = file.read<std::int32_t>(in("kelvin_parameter"));
    range.bulk = file.read<std::int8_t>(in("bulk"));
    range.factor = file.read<double>(in("factor"));
    range.seen = file.read<double>(in("seen"));
    range.sample_log_g = file.read<double>(in("sample_log_g"));
    range.sample_motion = file.read<double>(in("sample_motion"));
    const auto numbers = file.read<double>(in("certificate"), {6});
    range.n_solves = static_cast<std::int64_t>(numbers[0]);
    range.tolerance = numbers[1];
    range.error = numbers[2];
    range.end_s = numbers[3];
    range.left = numbers[4];
    range.least = numbers[5];
    return range;
}

}  // namespace

void ReducedMatrices::check(const std::string& place) const {
    const auto n = static_cast<std::size_t>(n_basis);
    const std::size_t groups = n_branches.size();
    std::size_t branches = 0;
    bool counts = true;
    for (const std::int32_t count : n_branches) {
        branches += static_cast<std::size_t>(count);
        counts = counts && count >= 0;
    }
    if (!counts || A_el.size() != n * n || A.size() != groups * n * n || b.size() != groups * n ||
        share.size() != branches || rate_per_s.size() != branches) {
        throw Error(ErrorCode::InvalidArgument,
                    place + ": reduced model of " + std::to_string(n) + " basis vectors and " +
                        std::to_string(groups) + " groups has " + std::to_string(A_el.size()) +
                        ", " + std::to_string(A.size()) + ", " + std::to_string(b.size()) +
                        " values in A_el, A, b and " + std::to_string(share.size()) + ", " +
                        std::to_string(rate_per_s.size()) +
                        " shares and rates; must be n^2, G n^2, G n and the branches twice");
    }
    if (range) {
        check_range(*range, n, groups, place);
        for (const auto* values : {&A_el, &A, &b}) {
            if (!finite(*values)) {
                throw Error(ErrorCode::InvalidArgument,
                            place + ": a reduced model must have finite matrices");
            }
        }
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
    if (reduced.range) {
        write_range(group, *reduced.range, n);
    }
}

ReducedMatrices read_reduced(const h5::File& file, const std::string& group) {
    ReducedMatrices reduced;
    reduced.A_el = file.read<double>(group + "/A_el", {h5::kAny, h5::kAny});
    reduced.n_basis = static_cast<std::int64_t>(file.dims(group + "/A_el").front());
    reduced.A = file.read<double>(group + "/A");
    reduced.b = file.read<double>(group + "/b");
    reduced.n_branches = file.read<std::int32_t>(group + "/n_branches");
    reduced.share = file.read<double>(group + "/share");
    reduced.rate_per_s = file.read<double>(group + "/rate");
    reduced.range = read_range(file, group);
    reduced.check(file.path());
    return reduced;
}

}  // namespace kaname::io
