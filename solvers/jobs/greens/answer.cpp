// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/answer.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/viscoelastic/spectrum/reduced_transform.hpp"

namespace kaname::jobs {
namespace {

[[noreturn]] void refuse(const std::string& text) {
    throw Error(ErrorCode::InvalidArgument, text);
}

void check_epochs(std::span<const double> epochs_s, double end_s) {
    constexpr double kSlack = 1e-9;
    for (std::size_t k = 0; k < epochs_s.size(); ++k) {
        if (!(epochs_s[k] >= 0.0 && epochs_s[k] <= end_s * (1.0 + kSlack))) {
            std::ostringstream text;
            text << "epochs must be within 0 to " << end_s << " s, the end of the solve, got "
                 << epochs_s[k];
            refuse(text.str());
        }
        if (k > 0 && epochs_s[k] <= epochs_s[k - 1]) {
            refuse("epochs must increase");
        }
    }
}

/// to [epochs][width] += slip weights [epochs][fields] fields [fields][width].
void add_fields(std::span<const double> weights, const std::vector<double>& fields,
                std::size_t width, double slip, std::span<double> to) {
    const std::size_t n_fields = fields.size() / width;
    for (std::size_t epoch = 0; epoch * width < to.size(); ++epoch) {
        double* row = to.data() + epoch * width;
        for (std::size_t field = 0; field < n_fields; ++field) {
            const double weight = slip * weights[epoch * n_fields + field];
            const double* of = fields.data() + field * width;
            for (std::size_t i = 0; i < width; ++i) {
                row[i] += weight * of[i];
            }
        }
    }
}

}  // namespace

Answers::Answers(io::GreensDataset dataset) : dataset_(std::move(dataset)) {
    if (dataset_.slip_history != "step") {
        refuse("answers are of a dataset whose slip is a step in time, its slip_history is " +
               dataset_.slip_history);
    }
    for (const io::GreensDataset::Reduced& reduced : dataset_.reduced) {
        stored_.emplace_back();
        if (!reduced.fields.empty() && reduced.matrices.range) {
            stored_.back() = stored_range(reduced.matrices);
            const StoredRange& of = stored_.back();
            if (range_.parameters.empty()) {
                range_ = of.range;
                end_s_ = of.certificate.end_s;
            } else if (of.range.parameters != range_.parameters || of.certificate.end_s != end_s_) {
                refuse("the dataset is damaged: its sources answer for different ranges");
            }
        }
    }
    if (range_.parameters.empty()) {
        refuse(
            "the dataset answers for no other viscosities: its specification has none with a range "
            "(viscosity_pa_s: {from: ..., to: ...})");
    }
}

std::vector<double> Answers::viscosities(
    std::span<const std::pair<std::string, double>> named) const {
    std::vector<double> values = range_.reference();
    for (const auto& [name, value] : named) {
        const auto found =
            std::ranges::find(range_.parameters, name, &viscoelastic::ViscosityParameter::name);
        if (found == range_.parameters.end()) {
            std::string known;
            for (const auto& parameter : range_.parameters) {
                known += (known.empty() ? "" : ", ") + parameter.name;
            }
            refuse("'" + name + "' is no viscosity with a range here; there are: " + known);
        }
        values[static_cast<std::size_t>(found - range_.parameters.begin())] = value;
    }
    (void)range_.at(values);
    return values;
}

std::vector<double> Answers::rows(std::size_t source, std::span<const double> viscosities_pa_s,
                                  std::span<const double> epochs_s) const {
    const StoredRange& stored = stored_[source];
    std::vector<double> result;
    for (const auto& row :
         rows_in_time(stored.model, stored.range.at(viscosities_pa_s), epochs_s)) {
        result.push_back(1.0);
        for (const auto& c : row.c[0]) {
            result.push_back(c[0]);
        }
    }
    return result;
}

std::vector<double> Answers::at(std::span<const double> viscosities_pa_s,
                                std::span<const double> epochs_s) const {
    check_epochs(epochs_s, end_s_);
    const std::size_t width = 3 * dataset_.stations.size();
    const std::size_t each = epochs_s.size() * width;
    std::vector<double> motion(dataset_.sources.size() * each, io::GreensDataset::kNone);
    const auto source = [&](std::int64_t k) {
        if (!is_there(k)) {
            return;
        }
        const std::vector<double> weights = rows(k, viscosities_pa_s, epochs_s);
        double* to = motion.data() + std::size_t(k) * each;
        std::fill_n(to, each, 0.0);
        add_fields(weights, dataset_.reduced[k].fields, width, 1.0, {to, each});
    };
    parallel_for(static_cast<std::int64_t>(stored_.size()), source, 1);
    return motion;
}

std::vector<double> Answers::sum(std::span<const double> viscosities_pa_s,
                                 std::span<const double> epochs_s,
                                 std::span<const double> slip_m) const {
    check_epochs(epochs_s, end_s_);
    const std::size_t width = 3 * dataset_.stations.size();
    std::vector<std::vector<double>> weights(stored_.size());
    const auto source = [&](std::int64_t k) {
        if (slip_m[k] != 0.0 && is_there(k)) {
            weights[k] = rows(k, viscosities_pa_s, epochs_s);
        }
    };
    parallel_for(static_cast<std::int64_t>(stored_.size()), source, 1);
    std::vector<double> motion(epochs_s.size() * width, 0.0);
    const auto epoch = [&](std::int64_t t) {
        const std::span<double> to(motion.data() + std::size_t(t) * width, width);
        for (std::size_t k = 0; k < stored_.size(); ++k) {
            if (slip_m[k] != 0.0 && !is_there(k)) {
                std::ranges::fill(to, io::GreensDataset::kNone);
            } else if (slip_m[k] != 0.0) {
                const std::size_t n_fields = 1 + static_cast<std::size_t>(stored_[k].model.n_basis);
                add_fields({weights[k].data() + std::size_t(t) * n_fields, n_fields},
                           dataset_.reduced[k].fields, width, slip_m[k], to);
            }
        }
    };
    parallel_for(static_cast<std::int64_t>(epochs_s.size()), epoch, 1);
    return motion;
}

double Answers::error(std::span<const double> viscosities_pa_s) const {
    double worst = 0.0;
    for (const StoredRange& stored : stored_) {
        if (!stored.range.laws.empty()) {
            worst = std::max(
                worst, stored.certificate.error(stored.model, stored.range.at(viscosities_pa_s)));
        }
    }
    return worst;
}

}  // namespace kaname::jobs
