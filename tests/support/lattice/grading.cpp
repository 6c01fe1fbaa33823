// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/lattice/grading.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::meshing {
namespace {

constexpr int kMaxSamples = 20000;
constexpr double kSamplesPerCell = 16.0;
constexpr double kForgivenCell = 0.2;

void append_between(double from, double to, const std::function<double(double)>& size,
                    std::vector<double>& lines) {
    const double length = to - from;
    double smallest = length;
    for (int sample = 0; sample <= 64; ++sample) {
        smallest = std::min(smallest, size(from + length * sample / 64.0));
    }
    const int samples = static_cast<int>(
        std::clamp(kSamplesPerCell * length / smallest, 64.0, double{kMaxSamples}));
    const double step = length / samples;
    std::vector<double> cells(samples + 1, 0.0);  // integral of dx / size up to each sample
    for (int sample = 0; sample < samples; ++sample) {
        cells[sample + 1] = cells[sample] + step / size(from + (sample + 0.5) * step);
    }
    const int count = std::max(1, static_cast<int>(std::ceil(cells.back() - kForgivenCell)));
    int sample = 0;
    for (int line = 1; line < count; ++line) {
        const double wanted = cells.back() * line / count;
        while (cells[sample + 1] < wanted) {
            ++sample;
        }
        const double part = (wanted - cells[sample]) / (cells[sample + 1] - cells[sample]);
        lines.push_back(from + (sample + part) * step);
    }
    lines.push_back(to);
}

}  // namespace

std::vector<double> graded_lines(std::span<const double> fixed,
                                 const std::function<double(double)>& size) {
    std::vector<double> lines = {fixed.front()};
    for (std::size_t point = 0; point + 1 < fixed.size(); ++point) {
        append_between(fixed[point], fixed[point + 1], size, lines);
    }
    return lines;
}

double grown_size(double at, double far, double growth, double distance) {
    if (distance <= 0.0) {
        return std::min(at, far);
    }
    // x_n = at ((1 + g)^n - 1) / g  =>  dx/dn = (at + g x) ln(1 + g) / g
    return std::min((at + growth * distance) * std::log1p(growth) / growth, far);
}

}  // namespace kaname::meshing
