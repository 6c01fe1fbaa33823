// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/aderdg/gpu/gpu_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {
namespace {

/// Points of one kind by clusters.
GpuSlots slots_of(const Layout& layout, std::span<const std::int32_t> first_of_block) {
    std::vector<std::int64_t> first;
    for (const std::int32_t block : layout.first) {
        first.push_back(first_of_block[block]);
    }
    return GpuSlots(first);
}

std::size_t numbers_of_powers(const EngineSetup& setup) {
    return static_cast<std::size_t>(setup.params.order + 1) * 3 * setup.lanes;
}

}  // namespace

GpuPointSet::GpuPointSet(const EngineSetup& setup, const GpuWindow& window, device::Queue& queue)
    : setup_(setup),
      queue_(queue),
      N_(setup.params.order - 1),
      window_(window),
      sources_(slots_of(setup.layout, setup.points.first_source)),
      receivers_(slots_of(setup.layout, setup.points.first_receiver)),
      record_(setup.params, setup.lanes, setup.points.receivers.size(), 0) {
    upload();
}

std::int64_t GpuPointSet::bytes_per_macro(const EngineSetup& setup) {
    const std::int64_t rates = slots_of(setup.layout, setup.points.first_source).per_macro;
    const std::int64_t powers = slots_of(setup.layout, setup.points.first_receiver).per_macro;
    return std::max(rates * setup.params.order,
                    powers * static_cast<std::int64_t>(numbers_of_powers(setup))) *
           static_cast<std::int64_t>(sizeof(double));
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
    first_source_ = device::copied(points.first_source, queue_);
    first_receiver_ = device::copied(points.first_receiver, queue_);
    with_sources_ = device::copied(with_sources, queue_);
    source_ = device::copied(sources, queue_);
    shapes_ = device::copied(shapes, queue_);
    receiver_elements_ = device::copied(receiver_elements, queue_);
    receiver_values_ = device::copied(receiver_values, queue_);
    peak_blocks_ = device::copied(peak_blocks, queue_);
    peak_elements_ = device::copied(peak_elements, queue_);
    peak_values_ = device::copied(peak_values, queue_);
    peaks_ = device::Buffer<double>(points.peaks.size() * setup_.lanes * 2, queue_);
    rates_ = device::Buffer<double>(window_.length() * sources_.per_macro * (N_ + 1), queue_);
    powers_ = device::Buffer<double>(
        window_.length() * receivers_.per_macro * numbers_of_powers(setup_), queue_);
    kernels_.macro = window_.macro();
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

void GpuPointSet::evaluate_rates() {
    if (sources_.per_macro == 0) {
        return;
    }
    std::vector<double> rates(rates_.size());
    const int n_clusters = setup_.layout.n_clusters;
    sources_.for_each(window_.length(), [&](std::int64_t s, int c, std::int64_t macro,
                                            std::int64_t j, std::int64_t slot) {
        const std::int64_t tick = ((window_.first() + macro) << (n_clusters - 1)) + (j << c);
        setup_.points.sources[s].in_step(setup_.step_s * static_cast<double>(tick),
                                         std::ldexp(setup_.step_s, c), N_,
                                         std::span(rates).subspan(slot * (N_ + 1), N_ + 1));
    });
    device::upload<double>(rates, rates_, queue_);
}

void GpuPointSet::bring() {
    const std::size_t width = numbers_of_powers(setup_);
    const std::size_t from = brought_ * receivers_.per_macro * width;
    std::vector<double> powers(window_.done() * receivers_.per_macro * width - from);
    if (!powers.empty()) {
        device::copy_to_host(powers.data(), powers_.data() + from, powers.size() * sizeof(double),
                             queue_);
        const int n_clusters = setup_.layout.n_clusters;
        receivers_.for_each(window_.done(), [&](std::int64_t r, int c, std::int64_t macro,
                                                std::int64_t j, std::int64_t slot) {
            if (macro >= brought_) {
                const std::int64_t tick =
                    ((window_.first() + macro) << (n_clusters - 1)) + (j << c);
                record_.add_step(r, setup_.step_s * static_cast<double>(tick),
                                 std::ldexp(setup_.step_s, c),
                                 std::span(powers).subspan(slot * width - from, width));
            }
        });
    }
    brought_ = window_.done();
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
