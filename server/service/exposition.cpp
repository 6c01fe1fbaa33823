// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/exposition.hpp"

#include <charconv>

namespace kaname::service {
namespace {

std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string braced(const std::string& labels) {
    return labels.empty() ? "" : "{" + labels + "}";
}

}  // namespace

std::string quoted(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        }
    }
    return text + '"';
}

void Metric::write_head() {
    if (!has_head_) {
        out_ += "# HELP " + name_ + " " + help_ + "\n# TYPE " + name_ + " " + type_ + "\n";
        has_head_ = true;
    }
}

void Metric::add(const std::string& labels, double value) {
    write_head();
    out_ += name_ + braced(labels) + " " + number(value) + "\n";
}

void Metric::add(const std::string& labels, std::span<const double> bounds, const Histogram& read) {
    write_head();
    const std::string before = labels.empty() ? "" : labels + ",";
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        const std::int64_t n = k < read.at_most.size() ? read.at_most[k] : 0;
        out_ += name_ + "_bucket{" + before + "le=\"" + number(bounds[k]) + "\"} " +
                std::to_string(n) + "\n";
    }
    out_ += name_ + "_bucket{" + before + "le=\"+Inf\"} " + std::to_string(read.n) + "\n" + name_ +
            "_sum" + braced(labels) + " " + number(read.sum) + "\n" + name_ + "_count" +
            braced(labels) + " " + std::to_string(read.n) + "\n";
}

}  // namespace kaname::service
