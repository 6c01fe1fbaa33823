// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "proto/request/campaign/campaign_file.hpp"
#include "proto/request/form/text.hpp"

namespace kaname::request {
namespace {

constexpr std::int64_t kMostValues = 10000;
constexpr const char* kNameColumn = "name";

struct Reader {
    const YamlFields& fields;
    const std::filesystem::path& source;
    Axis axis;

    [[nodiscard]] std::string file() const { return source.filename().string(); }
    [[nodiscard]] std::filesystem::path folder() const { return source.parent_path(); }

    void add(std::string word, std::vector<std::pair<std::string, YamlValue>> settings) {
        axis.values.push_back({std::move(word), std::move(settings), folder()});
    }
    YamlValue value(const YAML::Node& node, const YAML::Node& at) const {
        return {node, at.Mark().line + 1, file()};
    }
    /// One value for all keys of the axis.
    void add_to_keys(const std::string& word, const YamlValue& value) {
        std::vector<std::pair<std::string, YamlValue>> settings;
        for (const std::string& key : axis.keys) {
            settings.emplace_back(key, value);
        }
        add(word, std::move(settings));
    }

    void read_keys();
    void read_list(const YAML::Node& list);
    void read_range(const YAML::Node& node);
    void read_rows(const YAML::Node& rows);
    void read_table(const std::string& path, const YAML::Node& at);
    void name_key(const std::string& key) {
        if (std::ranges::find(axis.keys, key) == axis.keys.end()) {
            axis.keys.push_back(key);
        }
    }
};

void Reader::read_keys() {
    const YAML::Node one = fields.find("key"), several = fields.find("keys");
    if (one.IsDefined() && several.IsDefined()) {
        fields.fail("keys", several, "excludes key; keep one");
    }
    if (one.IsDefined()) {
        name_key(fields.text("key"));
    } else if (several.IsDefined()) {
        if (!several.IsSequence() || several.size() == 0) {
            fields.fail("keys", several, "expected a list of keys");
            return;
        }
        for (const YAML::Node& key : several) {
            if (key.IsScalar()) {
                name_key(key.Scalar());
            } else {
                fields.fail("keys", key, "expected a key, as in time.end_years");
            }
        }
    }
}

void Reader::read_list(const YAML::Node& list) {
    if (!list.IsSequence() || list.size() == 0) {
        fields.fail("values", list, "expected a list of at least one value");
        return;
    }
    for (const YAML::Node& item : list) {
        if (!item.IsScalar()) {
            fields.fail("values", item,
                        "expected a number or a text; lists and mappings stand in rows, where they "
                        "get a name");
            continue;
        }
        add_to_keys(word_of(item.Scalar()), value(item, item));
    }
}

void Reader::read_range(const YAML::Node& node) {
    if (!node.IsMap()) {
        fields.fail("range", node, "expected a mapping with from, to and step or n");
        return;
    }
    const YamlFields range(node, fields.path_of("range"), fields.broken());
    const std::size_t before = fields.broken().size();
    range.expect_keys({"from", "to", "step", "n", "scale"});
    const auto from = range.number("from"), to = range.number("to"), step = range.number("step");
    const auto n = range.whole("n", 2, kMostValues);
    const std::string scale = range.has("scale") ? range.text("scale") : "linear";
    for (const char* key : {"from", "to"}) {
        if (!range.has(key)) {
            range.fail(key, "must be given");
        }
    }
    if (range.has("step") == range.has("n")) {
        range.fail("", "must have step or n, one of them");
    }
    if (scale != "linear" && scale != "log") {
        range.fail("scale", range.find("scale"), "must be linear or log, got " + quote(scale));
    }
    const bool log = scale == "log";
    if (log && range.has("step")) {
        range.fail("step", range.find("step"), "must be left out with scale log; give n");
    }
    if (log && from && to && (*from <= 0.0 || *to <= 0.0)) {
        range.fail("from", "from and to must be > 0 with scale log, got " + show(*from) + " and " +
                               show(*to));
    }
    if (from && to && *from == *to) {
        range.fail("to", "must differ from from, got " + show(*to) + " twice");
    }
    if (step && from && to && (*step == 0.0 || (*to - *from) / *step < 0.0)) {
        range.fail("step", range.find("step"),
                   "must lead from " + show(*from) + " to " + show(*to) + ", got " + show(*step));
    }
    if (fields.broken().size() > before) {
        return;
    }
    // A thousandth of a step over the end is rounding: 0.1 three times is 0.30000000000000004.
    const double steps =
        step ? std::floor((*to - *from) / *step + 1e-3) : static_cast<double>(*n) - 1.0;
    if (steps >= static_cast<double>(kMostValues)) {
        range.fail("step", range.find("step"),
                   "must give at most " + std::to_string(kMostValues) + " values, gives " +
                       show(steps + 1.0));
        return;
    }
    for (int k = 0; k <= static_cast<int>(steps); ++k) {
        double number = step ? *from + k * *step : *from + (*to - *from) * k / steps;
        if (log) {
            number = *from * std::pow(*to / *from, k / steps);
        }
        if (!step && k == static_cast<int>(steps)) {
            number = *to;
        }
        // Twelve digits, as keys of content are rounded: 0.3 and not 0.30000000000000004.
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.12g", number);
        const std::string text = show(*parse_number(digits));
        add_to_keys(word_of(text), value(YAML::Node(text), node));
    }
}

void Reader::read_rows(const YAML::Node& rows) {
    if (!rows.IsSequence() || rows.size() == 0) {
        fields.fail("rows", rows, "expected a list of at least one mapping of keys to values");
        return;
    }
    int index = 0;
    for (const YAML::Node& row : rows) {
        const std::string field = fields.path_of("rows[" + std::to_string(index++) + "]");
        if (!row.IsMap()) {
            fields.broken().push_back({field, "line " + std::to_string(row.Mark().line + 1) +
                                                  ": expected a mapping of keys to values"});
            continue;
        }
        const YamlFields cells(row, field, fields.broken());
        const std::string name = cells.text(kNameColumn);
        if (!cells.has(kNameColumn)) {
            cells.fail(kNameColumn, "must be given: members are named by it");
        }
        std::vector<std::pair<std::string, YamlValue>> settings;
        for (const auto& cell : row) {
            const std::string key = cell.first.IsScalar() ? cell.first.Scalar() : "";
            if (key == kNameColumn) {
                continue;
            }
            name_key(key);
            settings.emplace_back(key, value(cell.second, cell.first));
        }
        if (settings.empty()) {
            cells.fail("", "must set at least one key");
        }
        add(word_of(name), std::move(settings));
    }
}

void Reader::read_table(const std::string& path, const YAML::Node& at) {
    const std::filesystem::path file = folder() / path;
    std::string text;
    try {
        text = read_text_file(file.string());
    } catch (const Error& error) {
        fields.fail("table", at, error.what());
        return;
    }
    RowErrors errors(file.filename().string());
    std::vector<std::string> columns;
    std::size_t n_values = 0;
    for_each_csv_line(text, [&](int line, std::string_view row) {
        const auto cells = split_csv(row);
        if (!cells) {
            errors.fail(line, "a quote is left open");
            return true;
        }
        if (columns.empty()) {
            columns = *cells;
            for (const std::string& column : columns) {
                if (column != kNameColumn) {
                    name_key(column);
                }
            }
            const auto names = std::ranges::count(columns, kNameColumn);
            if (names != 1 || columns.size() < 2) {
                errors.fail(line, "must have the column name, once, and keys beside it");
                return false;
            }
            return true;
        }
        if (cells->size() != columns.size()) {
            errors.fail(line, "must have " + std::to_string(columns.size()) + " cells, got " +
                                  std::to_string(cells->size()));
            return true;
        }
        std::string word;
        std::vector<std::pair<std::string, YamlValue>> settings;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (columns[k] == kNameColumn) {
                word = word_of((*cells)[k]);
            } else if ((*cells)[k].empty()) {
                errors.fail(line, "column " + columns[k] + " must have a value");
            } else {
                settings.emplace_back(
                    columns[k], YamlValue{YAML::Node((*cells)[k]), line, file.filename().string()});
            }
        }
        axis.values.push_back({std::move(word), std::move(settings), file.parent_path()});
        return ++n_values < static_cast<std::size_t>(kMostValues);
    });
    if (axis.values.empty() && !errors.any()) {
        errors.fail(1, "must have a row of values");
    }
    for (Violation& violation : errors.take()) {
        fields.broken().push_back(
            {fields.path_of("table"), violation.field + ": " + violation.message});
    }
}

}  // namespace

std::string word_of(const std::string& text) {
    std::string word = text;
    if (word.find('/') != std::string::npos ||
        (!parse_number(word) && std::filesystem::path(word).has_extension())) {
        word = std::filesystem::path(word).stem().string();
    }
    for (char& c : word) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-' || c == '_';
        c = plain ? c : '-';
    }
    return word;
}

std::string unit_of_key(const std::string& key) {
    // Longer suffixes stand before their own endings.
    static const std::vector<std::pair<std::string_view, std::string_view>> units = {
        {"_kg_per_m3", "kg m-3"},
        {"_g_per_cm3", "g cm-3"},
        {"_km_per_s", "km s-1"},
        {"_m_per_s", "m s-1"},
        {"_pa_s", "Pa s"},
        {"_mpa", "MPa"},
        {"_gpa", "GPa"},
        {"_pa", "Pa"},
        {"_deg", "degree"},
        {"_n_m", "N m"},
        {"_km", "km"},
        {"_cm", "cm"},
        {"_mm", "mm"},
        {"_m", "m"},
        {"_khz", "kHz"},
        {"_mhz", "MHz"},
        {"_hz", "Hz"},
        {"_n", "N"},
        {"_minutes", "min"},
        {"_hours", "h"},
        {"_days", "d"},
        {"_years", "year"},
        {"_ms", "ms"},
        {"_us", "us"},
        {"_s", "s"}};
    for (const auto& [suffix, unit] : units) {
        if (key.ends_with(suffix)) {
            return std::string(unit);
        }
    }
    return "";
}

Axis read_axis(const YamlFields& fields, const std::filesystem::path& source) {
    fields.expect_keys(
        {"name", "key", "keys", "values", "range", "rows", "table", "along", "unit"});
    Reader reader{fields, source, {}};
    Axis& axis = reader.axis;
    axis.field = fields.field();
    axis.line = fields.line();
    axis.name = fields.text("name");
    axis.along = fields.text("along");
    if (!fields.has("name")) {
        fields.fail("name", "must be given");
    }
    reader.read_keys();
    const bool keyed = fields.has("key") || fields.has("keys");
    std::vector<std::string> forms;
    for (const char* form : {"values", "range", "rows", "table"}) {
        if (fields.has(form)) {
            forms.emplace_back(form);
        }
    }
    if (forms.size() != 1) {
        fields.fail("", forms.empty() ? "must have one of values, range, rows and table"
                                      : "must have one of values, range, rows and table, has " +
                                            forms[0] + " and " + forms[1]);
        return axis;
    }
    const YAML::Node node = fields.find(forms[0]);
    const bool one_value = forms[0] == "values" || forms[0] == "range";
    if (one_value && !keyed) {
        fields.fail("key", "must be given: what the values set");
    } else if (!one_value && keyed) {
        fields.fail(fields.has("key") ? "key" : "keys",
                    "must be left out: " + forms[0] + " name the keys that they set");
    }
    if (forms[0] == "values") {
        reader.read_list(node);
    } else if (forms[0] == "range") {
        reader.read_range(node);
    } else if (forms[0] == "rows") {
        reader.read_rows(node);
    } else if (const std::string path = fields.text("table"); !path.empty()) {
        reader.read_table(path, node);
    }
    const bool numbers = std::ranges::all_of(
        axis.values, [](const AxisValue& value) { return parse_number(value.word).has_value(); });
    if (fields.has("unit")) {
        axis.unit = fields.text("unit");
    } else if (numbers && axis.keys.size() == 1) {
        axis.unit = unit_of_key(axis.keys.front());
    }
    return axis;
}

}  // namespace kaname::request
