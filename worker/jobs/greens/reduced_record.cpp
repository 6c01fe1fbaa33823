// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/reduced_record.hpp"

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

io::ReducedMatrices record_of(const viscoelastic::SourceModel& source,
                              const viscoelastic::RelaxationGroups& groups, double tolerance,
                              int n_solves) {
    io::ReducedMatrices record = record_of(source.model, groups.relaxation, 0);
    io::ReducedRange& range = record.range.emplace();
    for (const viscoelastic::ViscosityParameter& parameter : groups.range.parameters) {
        range.parameter.push_back(parameter.name);
        range.from_pa_s.push_back(parameter.from_pa_s);
        range.to_pa_s.push_back(parameter.to_pa_s);
        range.reference_pa_s.push_back(parameter.reference_pa_s);
    }
    for (const viscoelastic::GroupLaw& law : groups.range.laws) {
        range.mu_pa.push_back(law.mu_pa);
        range.relaxed_mu_pa.push_back(law.relaxed_mu_pa);
        range.kelvin_mu_pa.push_back(law.kelvin_mu_pa);
        range.viscosity_pa_s.push_back(law.viscosity_pa_s);
        range.kelvin_viscosity_pa_s.push_back(law.kelvin_viscosity_pa_s);
        range.viscosity.push_back(law.viscosity);
        range.kelvin_viscosity.push_back(law.kelvin_viscosity);
        range.bulk.push_back(law.bulk ? 1 : 0);
    }
    const viscoelastic::SpectrumCertificate& certificate = source.certificate;
    range.n_solves = n_solves;
    range.tolerance = tolerance;
    range.error = source.error;
    range.end_s = certificate.end_s;
    range.left = certificate.left;
    range.least = certificate.least;
    range.factor = certificate.factor;
    range.seen = certificate.seen;
    for (const auto& sample : certificate.samples) {
        range.sample_log_g.insert(range.sample_log_g.end(), sample.log_g.begin(),
                                  sample.log_g.end());
        range.sample_motion.push_back(sample.motion);
    }
    return record;
}

namespace {

viscoelastic::ReducedModel model_of(const io::ReducedMatrices& reduced) {
    const auto n = static_cast<std::size_t>(reduced.n_basis);
    viscoelastic::ReducedModel model;
    model.n_basis = static_cast<int>(n);
    model.A_el = reduced.A_el;
    for (std::size_t group = 0; group < reduced.n_branches.size(); ++group) {
        const auto A = reduced.A.begin() + static_cast<std::ptrdiff_t>(group * n * n);
        model.A.emplace_back(A, A + static_cast<std::ptrdiff_t>(n * n));
        auto& b = model.b.emplace_back(n);
        for (std::size_t i = 0; i < n; ++i) {
            b[i][0] = reduced.b[group * n + i];
        }
    }
    return model;
}

/// Modes of a stored model, and how its groups relax.
struct Stored {
    std::vector<viscoelastic::Relaxation> relaxation;
    viscoelastic::RelaxationModes modes;
};

Stored stored(const io::ReducedMatrices& reduced) {
    std::vector<viscoelastic::Relaxation> relaxation;
    std::size_t branch = 0;
    for (const std::int32_t n_branches : reduced.n_branches) {
        auto& branches = relaxation.emplace_back().branches;
        for (std::int32_t k = 0; k < n_branches; ++k, ++branch) {
            branches.push_back({reduced.share[branch], reduced.rate_per_s[branch]});
        }
    }
    viscoelastic::RelaxationModes modes = model_of(reduced).modes(relaxation);
    return {std::move(relaxation), std::move(modes)};
}

}  // namespace

StoredRange stored_range(const io::ReducedMatrices& record) {
    const io::ReducedRange& of = *record.range;
    StoredRange stored{model_of(record), {}, {}};
    for (std::size_t k = 0; k < of.parameter.size(); ++k) {
        stored.range.parameters.push_back(
            {of.parameter[k], of.from_pa_s[k], of.to_pa_s[k], of.reference_pa_s[k]});
    }
    const std::size_t groups = of.mu_pa.size();
    for (std::size_t j = 0; j < groups; ++j) {
        stored.range.laws.push_back({of.mu_pa[j], of.relaxed_mu_pa[j], of.kelvin_mu_pa[j],
                                     of.viscosity_pa_s[j], of.kelvin_viscosity_pa_s[j],
                                     of.viscosity[j], of.kelvin_viscosity[j], of.bulk[j] != 0});
    }
    stored.certificate.end_s = of.end_s;
    stored.certificate.left = of.left;
    stored.certificate.least = of.least;
    stored.certificate.factor = of.factor;
    stored.certificate.seen = of.seen;
    for (std::size_t k = 0; k < of.sample_motion.size(); ++k) {
        const auto log_g = of.sample_log_g.begin() + static_cast<std::ptrdiff_t>(k * groups);
        stored.certificate.samples.push_back(
            {{log_g, log_g + static_cast<std::ptrdiff_t>(groups)}, of.sample_motion[k]});
    }
    return stored;
}

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
