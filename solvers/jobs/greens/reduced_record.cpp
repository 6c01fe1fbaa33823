// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/reduced_record.hpp"

#include <algorithm>

namespace kaname::jobs {

io::ReducedMatrices record_of(const viscoelastic::ReducedModel& model,
                              std::span<const viscoelastic::Relaxation> relaxation, int lane) {
    io::ReducedMatrices record;
    record.n_basis = model.n_basis;
    record.A_el = model.A_el;
    for (std::size_t group = 0; group < relaxation.size(); ++group) {
        if (model.n_basis > 0) {
            record.A.insert(record.A.end(), model.A[group].begin(), model.A[group].end());
            for (const auto& row : model.b[group]) {
                record.b.push_back(row[lane]);
            }
        }
        record.n_branches.push_back(static_cast<std::int32_t>(relaxation[group].branches.size()));
        for (const auto& branch : relaxation[group].branches) {
            record.share.push_back(branch.share);
            record.rate_per_s.push_back(branch.rate_per_s);
        }
    }
    return record;
}

std::vector<double> field_rows(const io::ReducedMatrices& reduced,
                               std::span<const double> epochs_s) {
    const auto n = static_cast<std::size_t>(reduced.n_basis);
    viscoelastic::ReducedModel model;
    model.n_basis = static_cast<int>(n);
    model.A_el = reduced.A_el;
    std::vector<viscoelastic::Relaxation> relaxation;
    std::size_t branch = 0;
    for (std::size_t group = 0; group < reduced.n_branches.size(); ++group) {
        const auto A = reduced.A.begin() + static_cast<std::ptrdiff_t>(group * n * n);
        model.A.emplace_back(A, A + static_cast<std::ptrdiff_t>(n * n));
        auto& b = model.b.emplace_back(n);
        for (std::size_t i = 0; i < n; ++i) {
            b[i][0] = reduced.b[group * n + i];
        }
        auto& branches = relaxation.emplace_back().branches;
        for (std::int32_t k = 0; k < reduced.n_branches[group]; ++k, ++branch) {
            branches.push_back({reduced.share[branch], reduced.rate_per_s[branch]});
        }
    }
    const viscoelastic::RelaxationModes modes = model.modes(relaxation);
    std::vector<double> rows;
    rows.reserve(epochs_s.size() * (1 + n));
    for (const double epoch_s : epochs_s) {
        rows.push_back(1.0);
        for (const auto& c : modes.at(epoch_s)) {
            rows.push_back(c[0]);
        }
    }
    return rows;
}

std::vector<double> motion_at(const io::ReducedMatrices& reduced, std::span<const double> fields,
                              std::size_t width, std::span<const double> epochs_s) {
    const std::vector<double> rows = field_rows(reduced, epochs_s);
    const auto n_fields = static_cast<std::size_t>(1 + reduced.n_basis);
    std::vector<double> motion(epochs_s.size() * width, 0.0);
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double weight = rows[epoch * n_fields + field];
            for (std::size_t k = 0; k < width; ++k) {
                motion[epoch * width + k] += weight * fields[field * width + k];
            }
        }
    }
    return motion;
}

}  // namespace kaname::jobs
