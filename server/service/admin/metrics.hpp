// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <string>

#include "server/service/admin/meters.hpp"
#include "server/service/context.hpp"

namespace kaname::service {

/// Queue, workers and GPUs in the text format of Prometheus, base units. GPUs are named by UUID,
/// never by job, so that the number of series stays that of the hardware; what a GPU does not
/// support has no line. Throws Unavailable when the database does not answer.
[[nodiscard]] std::string metrics_text(Context& context);

/// A label's value, with what Prometheus' text format escapes.
[[nodiscard]] std::string quoted(const std::string& value);

/// The lines of one metric in Prometheus' text format; its head is written with the first of them.
class Metric {
public:
    Metric(std::string& out, std::string name, const char* type, const char* help)
        : out_(out), name_(std::move(name)), type_(type), help_(help) {}

    /// `labels`: `a="b",c="d"`, or nothing.
    void add(const std::string& labels, double value);
    /// Adds a metric of type histogram: its buckets, sum and count.
    void add(const std::string& labels, std::span<const double> bounds, const Histogram& read);

private:
    void write_head();

    std::string& out_;
    std::string name_;
    const char* type_;
    const char* help_;
    bool has_head_ = false;
};

}  // namespace kaname::service
