// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/inversion/slip_csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "proto/spec/form/csv.hpp"
#include "proto/spec/form/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::spec {

std::vector<SourceSlip> read_slip_csv(const std::string& path) {
    RowErrors errors(path);
    std::vector<SourceSlip> all;
    std::map<std::string, int> first_line;
    std::size_t n_columns = 0, source = 0, slip = 0;
    for_each_csv_line(read_text_file(path), [&](int line, std::string_view text) {
        const auto cells = split_csv(text);
        if (!cells) {
            errors.fail(line, "quote is left open");
            return true;
        }
        if (n_columns == 0) {
            n_columns = cells->size();
            const auto column = [&](const char* name) {
                const auto at = std::ranges::find(*cells, name);
                if (at == cells->end()) {
                    errors.fail(line, std::string("header must name the column ") + name +
                                          ", got " + quote(text));
                }
                return static_cast<std::size_t>(at - cells->begin());
            };
            source = column("source");
            slip = column("slip_m");
            return !errors.any();
        }
        if (cells->size() != n_columns) {
            errors.fail(line, "row has " + std::to_string(cells->size()) +
                                  " cells, the header has " + std::to_string(n_columns));
            return true;
        }
        const std::string& id = (*cells)[source];
        const auto value = parse_number((*cells)[slip]);
        if (!value || !std::isfinite(*value)) {
            errors.fail(line, "slip_m must be a finite number, got " + quote((*cells)[slip]));
        }
        if (const auto [at, fresh] = first_line.try_emplace(id, line); !fresh) {
            errors.fail(line, "source must be unique, got " + quote(id) + " as in line " +
                                  std::to_string(at->second));
        }
        all.push_back({id, value.value_or(0.0)});
        return true;
    });
    if (all.empty() && !errors.any()) {
        errors.fail(1, "file has no source");
    }
    if (errors.any()) {
        throw ValidationError(errors.take());
    }
    return all;
}

}  // namespace kaname::spec
