// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/aderdg/gpu_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {
namespace {

/// Rates and powers of a window may take up to this each, if not a macro step alone takes more.
constexpr std::int64_t kWindowBytes = std::int64_t{8} << 20;
constexpr std::int64_t kLongestWindow = 256;

template <class T>
device::Buffer<T> copied(const std::vector<T>& host, device::Queue& queue) {
    return {std::span<const T>(host), queue};
}

std::int64_t bytes_of_rates(const EngineSetup& setup) {
    return setup.params.order * std::int64_t{sizeof(double)};
}
std::int64_t bytes_of_powers(const EngineSetup& setup) {
    return (setup.params.order + 1) * 3 * setup.lanes * std::int64_t{sizeof(double)};
}

}  // namespace

GpuPointSet::Slots::Slots(const Layout& layout, std::span<const std::int32_t> first_of_block) {
    for (int c = 0; c < layout.n_clusters; ++c) {
        first.push_back(first_of_block[layout.first[c]]);
        size.push_back(first_of_block[layout.first[c + 1]] - first.back());
        slot.push_back(per_macro);
        per_macro += size.back() << (layout.n_clusters - 1 - c);
    }
}

GpuPointSet::GpuPointSet(const EngineSetup& setup, device::Queue& queue)
    : setup_(setup),
      queue_(queue),
      N_(setup.params.order - 1),
      sources_(setup.layout, setup.points.first_source),
      receivers_(setup.layout, setup.points.first_receiver),
      macro_(1, queue),
      record_(setup.params, setup.lanes, setup.points.receivers.size(), 0) {
    const std::int64_t bytes =
        std::max({sources_.per_macro * bytes_of_rates(setup),
                  receivers_.per_macro * bytes_of_powers(setup), std::int64_t{1}});
    window_ = std::clamp<std::int64_t>(kWindowBytes / bytes, 1, kLongestWindow);
    upload();
}

void GpuPointSet::upload() {
    const BlockPoints& points = setup_.points;
    std::vector<GpuSource> sources;
    std::vector<double> shapes, receiver_values, peak_values(points.peaks.size() * tet_modes(N_));
    std::vector<std::int32_t> receiver_elements, peak_blocks, peak_elements;
    std::vector<std::uint32_t> with_sources(setup_.layout.n_blocks());
    for (const BlockSource& s : points.sources) {
        GpuSource& source = sources.emplace_back();
        std::ranges::copy(s.amount, source.amount);
        source.column = s.element * setup_.lanes + s.lane;
        with_sources[s.block] |= std::uint32_t{1} << s.element;
        shapes.insert(shapes.end(), s.shape.begin(), s.shape.end());
    }
    for (const BlockReceiver& r : points.receivers) {
        receiver_elements.push_back(r.element);
        receiver_values.insert(receiver_values.end(), r.values.begin(), r.values.end());
    }
    for (std::size_t p = 0; p < points.peaks.size(); ++p) {
        peak_blocks.push_back(points.peaks[p].block);
        peak_elements.push_back(points.peaks[p].element);
        for (int k = 0; k < tet_modes(N_); ++k) {
            peak_values[k * points.peaks.size() + p] = points.peaks[p].values[k];
        }
    }
    first_source_ = copied(points.first_source, queue_);
    first_receiver_ = copied(points.first_receiver, queue_);
    with_sources_ = copied(with_sources, queue_);
    source_ = copied(sources, queue_);
    shapes_ = copied(shapes, queue_);
    receiver_elements_ = copied(receiver_elements, queue_);
    receiver_values_ = copied(receiver_values, queue_);
    peak_blocks_ = copied(peak_blocks, queue_);
    peak_elements_ = copied(peak_elements, queue_);
    peak_values_ = copied(peak_values, queue_);
    peaks_ = device::Buffer<double>(points.peaks.size() * setup_.lanes * 2, queue_);
    rates_ = device::Buffer<double>(window_ * sources_.per_macro * (N_ + 1), queue_);
    powers_ = device::Buffer<double>(window_ * receivers_.per_macro * (N_ + 2) * 3 * setup_.lanes,
                                     queue_);
    kernels_.macro = macro_.data();
    kernels_.lanes = setup_.lanes;
    kernels_.first_source = first_source_.data();
    kernels_.with_sources = with_sources_.data();
    kernels_.sources = source_.data();
    kernels_.shapes = shapes_.data();
    kernels_.rates = rates_.data();
    kernels_.sources_per_macro = sources_.per_macro;
    kernels_.first_receiver = first_receiver_.data();
    kernels_.receiver_elements = receiver_elements_.data();
    kernels_.receiver_values = receiver_values_.data();
    kernels_.powers = powers_.data();
    kernels_.receivers_per_macro = receivers_.per_macro;
    kernels_.peak_blocks = peak_blocks_.data();
    kernels_.peak_elements = peak_elements_.data();
    kernels_.peak_values = peak_values_.data();
    kernels_.n_peaks = static_cast<std::int64_t>(points.peaks.size());
    kernels_.peaks = peaks_.data();
}

void GpuPointSet::set_slots(GpuRanges::Range& range, std::int64_t step) const {
    range.source_slot = sources_.of(range.cluster, step);
    range.receiver_slot = receivers_.of(range.cluster, step);
}

void GpuPointSet::begin(std::int64_t macro) {
    if (begun_ >= 0 && macro == begun_ + done_ && done_ < window_) {
        return;
    }
    bring();
    begun_ = macro;
    done_ = brought_ = 0;
    constexpr std::int64_t kZero = 0;
    device::copy_to_device(macro_.data(), &kZero, sizeof kZero, queue_);
    evaluate_rates();
}

template <class Body>
void GpuPointSet::for_slots(const Slots& slots, const Body& body) const {
    const int n_clusters = setup_.layout.n_clusters;
    for (int c = 0; c < n_clusters; ++c) {
        parallel_for(
            slots.size[c],
            [&, c](std::int64_t k) {
                const std::int64_t point = slots.first[c] + k;
                for (std::int64_t macro = 0; macro < window_; ++macro) {
                    for (std::int64_t j = 0; j < std::int64_t{1} << (n_clusters - 1 - c); ++j) {
                        body(point, c, macro, j, macro * slots.per_macro + slots.of(c, j) + point);
                    }
                }
            },
            8);
    }
}

void GpuPointSet::evaluate_rates() {
    if (sources_.per_macro == 0) {
        return;
    }
    std::vector<double> rates(rates_.size());
    const int n_clusters = setup_.layout.n_clusters;
    for_slots(sources_,
              [&](std::int64_t s, int c, std::int64_t macro, std::int64_t j, std::int64_t slot) {
                  const std::int64_t tick = ((begun_ + macro) << (n_clusters - 1)) + (j << c);
                  setup_.points.sources[s].in_step(
                      setup_.step_s * static_cast<double>(tick), std::ldexp(setup_.step_s, c), N_,
                      std::span(rates).subspan(slot * (N_ + 1), N_ + 1));
              });
    device::upload<double>(rates, rates_, queue_);
}

void GpuPointSet::bring() {
    const std::size_t width = static_cast<std::size_t>(N_ + 2) * 3 * setup_.lanes;
    const std::size_t from = brought_ * receivers_.per_macro * width;
    std::vector<double> powers(done_ * receivers_.per_macro * width - from);
    if (!powers.empty()) {
        device::copy_to_host(powers.data(), powers_.data() + from, powers.size() * sizeof(double),
                             queue_);
        const int n_clusters = setup_.layout.n_clusters;
        for_slots(receivers_, [&](std::int64_t r, int c, std::int64_t macro, std::int64_t j,
                                  std::int64_t slot) {
            if (macro >= brought_ && macro < done_) {
                const std::int64_t tick = ((begun_ + macro) << (n_clusters - 1)) + (j << c);
                record_.add_step(r, setup_.step_s * static_cast<double>(tick),
                                 std::ldexp(setup_.step_s, c),
                                 std::span(powers).subspan(slot * width - from, width));
            }
        });
    }
    brought_ = done_;
}

PointRecord& GpuPointSet::record() {
    bring();
    return record_;
}

std::vector<double> GpuPointSet::peaks() {
    std::vector<double> peaks(peaks_.size());
    if (!peaks.empty()) {
        device::download<double>(peaks_, peaks, queue_);
    }
    return peaks;
}

void GpuPointSet::set_peaks(std::span<const double> peaks) {
    if (!peaks.empty()) {
        device::upload(peaks, peaks_.view(), queue_);
    }
}

}  // namespace kaname::aderdg
#endif
