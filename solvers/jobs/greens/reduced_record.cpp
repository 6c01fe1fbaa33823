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

namespace {

/// Modes of a stored model, and how its groups relax.
struct Stored {
    std::vector<viscoelastic::Relaxation> relaxation;
    viscoelastic::RelaxationModes modes;
};

Stored stored(const io::ReducedMatrices& reduced) {
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
    viscoelastic::RelaxationModes modes = model.modes(relaxation);
    return {std::move(relaxation), std::move(modes)};
}

}  // namespace

std::vector<double> fault_rows(const io::ReducedMatrices& reduced,
                               std::span<const std::int32_t> groups,
                               std::span<const double> epochs_s) {
    const Stored of = stored(reduced);
    const auto n = static_cast<std::size_t>(reduced.n_basis);
    const std::size_t parts = 1 + groups.size();
    std::vector<double> rows(epochs_s.size() * (1 + n) * parts);
    for (std::size_t epoch = 0; epoch < epochs_s.size(); ++epoch) {
        double* row = rows.data() + epoch * (1 + n) * parts;
        for (std::size_t part = 0; part < parts; ++part) {
            const viscoelastic::Relaxation* relaxation =
                part == 0 ? nullptr : &of.relaxation.at(static_cast<std::size_t>(groups[part - 1]));
            const auto c = relaxation == nullptr
                               ? of.modes.at(epochs_s[epoch])
                               : of.modes.remembered(*relaxation, epochs_s[epoch]);
            row[part] = relaxation == nullptr ? 1.0 : relaxation->at_time(epochs_s[epoch]);
            for (std::size_t i = 0; i < n; ++i) {
                row[(1 + i) * parts + part] = c[i][0];
            }
        }
    }
    return rows;
}

std::vector<double> field_rows(const io::ReducedMatrices& reduced,
                               std::span<const double> epochs_s) {
    const viscoelastic::RelaxationModes modes = stored(reduced).modes;
    std::vector<double> rows;
    rows.reserve(epochs_s.size() * (1 + static_cast<std::size_t>(reduced.n_basis)));
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
