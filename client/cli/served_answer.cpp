// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/served_answer.hpp"

#include <cmath>
#include <map>

#include "client/cli/csv_field.hpp"
#include "proto/spec/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::cli {
namespace {

/// One rheology at a time: its error comes last, and stands in each of its rows.
class AnswerTable {
public:
    AnswerTable(const v1::AnswerRequest& request, std::ostream& out)
        : request_(request), out_(out) {
        for (const v1::Rheology& rheology : request.rheologies()) {
            for (const auto& [name, value] : rheology.values()) {
                names_[name];
            }
        }
    }

    void add(const v1::AnswerAxes& axes, const v1::AnswerResult& part) {
        if (part.first() != std::ssize(values_)) {
            throw Error(ErrorCode::Unavailable, "values of the answer are missing; call again");
        }
        values_.insert(values_.end(), part.values().begin(), part.values().end());
        if (part.has_error()) {
            write(axes, part);
            values_.clear();
        }
    }
    [[nodiscard]] std::int64_t rows() const { return n_rows_; }

private:
    void write(const v1::AnswerAxes& axes, const v1::AnswerResult& last) {
        const bool together = !request_.slip().empty();
        if (n_rows_ == 0) {
            for (const auto& [name, none] : names_) {
                out_ << csv_field(name) << ',';
            }
            out_ << (together ? "" : "source,") << "epoch_years,station,east,north,up,error\n";
        }
        std::string numbers;
        if (last.rheology() < request_.rheologies_size()) {
            const auto& said = request_.rheologies(static_cast<int>(last.rheology())).values();
            for (const auto& [name, none] : names_) {
                const auto found = said.find(name);
                numbers += (found == said.end() ? "" : spec::show(found->second)) + ',';
            }
        }
        const std::string error = spec::show(last.error());
        const int n_sources = together ? 1 : axes.source_ids_size();
        constexpr std::size_t kComponents = 3;
        if (values_.size() != kComponents * static_cast<std::size_t>(n_sources) *
                                  static_cast<std::size_t>(axes.epochs_s_size()) *
                                  static_cast<std::size_t>(axes.station_ids_size())) {
            throw Error(ErrorCode::Unavailable, "values of the answer are missing; call again");
        }
        auto value = values_.begin();
        for (int source = 0; source < n_sources; ++source) {
            for (const double epoch_s : axes.epochs_s()) {
                for (const std::string& station : axes.station_ids()) {
                    out_ << numbers << (together ? "" : csv_field(axes.source_ids(source)) + ',')
                         << spec::show(epoch_s / kJulianYear_s) << ',' << csv_field(station);
                    for (std::size_t k = 0; k < kComponents; ++k, ++value) {
                        out_ << ',' << (std::isfinite(*value) ? spec::show(*value) : "");
                    }
                    out_ << ',' << error << '\n';
                    ++n_rows_;
                }
            }
        }
    }

    const v1::AnswerRequest& request_;
    std::ostream& out_;
    std::map<std::string, int> names_;
    std::vector<double> values_;
    std::int64_t n_rows_ = 0;
};

}  // namespace

std::int64_t write_served_answer(client::Client& client, const v1::AnswerRequest& request,
                                 std::ostream& out) {
    AnswerTable table(request, out);
    client.answer(request, [&](const v1::AnswerAxes& axes, const v1::AnswerResult& part) {
        table.add(axes, part);
    });
    return table.rows();
}

}  // namespace kaname::cli
