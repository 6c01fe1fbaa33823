// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/gpu/gpu_conditions.hpp"
#include "solvers/aderdg/gpu/gpu_faults.hpp"
#include "solvers/aderdg/gpu/gpu_points.hpp"
#include "solvers/aderdg/gpu/gpu_unknowns.hpp"
#include "solvers/aderdg/gpu/gpu_window.hpp"
#include "solvers/aderdg/kernels/gpu_elements.hpp"
#include "solvers/aderdg/kernels/squares_body.hpp"
#include "solvers/base/error.hpp"
#include "solvers/device/phases.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::aderdg {
namespace {

using device::Buffer;

static_assert(kColumns<float> == gpu_columns(Precision::Single));
static_assert(kColumns<double> == gpu_columns(Precision::Double));

/// Macro steps of more ticks are not recorded: their graphs would be large, and what they take is
/// not launches.
constexpr std::int64_t kMostTicks = 1024;

/// One call of Engine, with its tick in the macro step.
struct Call {
    enum class Kind { Predict, SolveConditions, Correct };
    Kind kind;
    std::int64_t tick;
    std::vector<BlockRange> ranges;
    int m = 0;  ///< of SolveConditions

    friend bool operator==(const Call& a, const Call& b) {
        return a.kind == b.kind && a.tick == b.tick && a.m == b.m &&
               std::ranges::equal(a.ranges, b.ranges, [](const BlockRange& x, const BlockRange& y) {
                   return x.cluster == y.cluster && x.begin == y.begin && x.end == y.end;
               });
    }
};

template <class T>
class GpuEngine final : public Engine {
public:
    GpuEngine(EngineSetup setup, const device::Queue& queue);

    void predict(std::span<const BlockRange> ranges, std::int64_t tick) override {
        if (tick / ticks_ != macro_) {
            end_macro();
            macro_ = tick / ticks_;
            begin_macro();
        }
        add({Call::Kind::Predict, tick % ticks_, {ranges.begin(), ranges.end()}});
    }
    void solve_conditions(int m, std::int64_t tick) override {
        if (conditions_) {
            add({Call::Kind::SolveConditions, tick % ticks_, {}, m});
        }
    }
    void correct(std::span<const BlockRange> ranges, std::int64_t tick) override {
        add({Call::Kind::Correct, tick - macro_ * ticks_, {ranges.begin(), ranges.end()}});
    }

    [[nodiscard]] std::size_t record_bytes() const override { return records_.record_bytes(); }
    void read_records(std::span<const std::int32_t> records, std::span<std::byte> to) override {
        records_.read(records, to);
    }
    void write_records(std::span<const std::int32_t> records,
                       std::span<const std::byte> from) override {
        records_.write(records, from);
    }

    [[nodiscard]] std::vector<double> unknowns(std::int32_t block, int element) override {
        end_macro();
        return unknowns_.get(block, element);
    }
    void set_unknowns(std::int32_t block, int element, std::span<const double> values) override {
        end_macro();
        unknowns_.set(block, element, values);
    }
    [[nodiscard]] std::vector<double> squares() override;
    [[nodiscard]] std::vector<float> take_samples() override { return record().take_samples(); }
    [[nodiscard]] std::vector<double> moved() override { return record().moved(); }
    [[nodiscard]] std::vector<double> peaks() override {
        end_macro();
        unknowns_.give_back();
        see_peaks(0, setup_.layout.n_blocks());
        return points_.peaks();
    }
    void set_points(std::int64_t samples, std::span<const double> moved,
                    std::span<const double> peaks) override {
        record().set(samples, moved, {});
        points_.set_peaks(peaks);
    }
    [[nodiscard]] EngineFaults* faults() override {
        end_macro();
        return faults_ ? &*faults_ : nullptr;
    }
    [[nodiscard]] std::vector<double> outflow(std::vector<std::int64_t>& numbers) override {
        end_macro();
        return outflow_ ? outflow_->energies(numbers) : std::vector<double>();
    }
    void set_outflow(std::span<const double> energy_j) override {
        if (outflow_) {
            end_macro();
            outflow_->set_energies(energy_j);
        }
    }
    [[nodiscard]] std::array<double, Yielded::kFields> yielded(std::int32_t block,
                                                               int element) override {
        end_macro();
        return yielding_ ? yielding_->sums(block, element) : std::array<double, Yielded::kFields>{};
    }
    void set_yielded(std::int32_t block, int element, std::span<const double> sums) override {
        if (yielding_) {
            end_macro();
            yielding_->set_sums(block, element, sums);
        }
    }
    [[nodiscard]] std::vector<double> heights(std::vector<std::int64_t>& numbers) override {
        end_macro();
        return surface_ ? surface_->heights(numbers) : std::vector<double>();
    }
    void set_heights(std::span<const double> heights) override {
        if (surface_) {
            end_macro();
            surface_->set_heights(heights);
        }
    }
    void finish() override {
        end_macro();
        queue_.synchronize();
    }

private:
    [[nodiscard]] std::vector<T> block_terms() const;
    void launch(const Call& call);
    void launch_predictors(const Call& call);
    void begin_macro();
    /// Returns the blocks of the call's ranges that are in `list`, as places in it; all of their
    /// blocks where it is empty.
    [[nodiscard]] GpuRanges ranges_of(const Call& call, std::span<const std::int32_t> list) const;
    void see_peaks(std::int32_t begin, std::int32_t end) {
        const auto& first = setup_.points.first_peak;
        see_peaks_cuda(N_, elements_, points_.of_kernels(), first[begin], first[end], queue_);
    }
    void add(Call call) {
        if (defers_) {
            calls_.push_back(std::move(call));
        } else {
            launch(call);
        }
    }
    /// Ends the macro step that is under way, if there is one.
    void end_macro();
    [[nodiscard]] PointRecord& record() {
        end_macro();
        return points_.record();
    }

    EngineSetup setup_;
    device::Queue queue_;
    int N_, mechanisms_;
    std::int64_t ticks_;  ///< of a macro step
    bool defers_;         ///< calls wait for the end of the macro step
    GpuWeights<T> weights_{};
    GpuElements<T> elements_;
    GpuWindow window_;
    GpuPointSet points_;
    std::optional<GpuConditionSet> conditions_;
    std::optional<GpuSurface> surface_;
    std::optional<GpuFaultSet> faults_;
    std::optional<GpuYieldSet<T>> yielding_;
    std::optional<GpuOutflow> outflow_;
    GpuUnknowns<T> unknowns_;
    Buffer<T> terms_, theta_;
    GpuRecords<T> records_;
    Buffer<std::int32_t> beyond_[2], first_other_, source_blocks_;
    Buffer<Layout::OtherStep> other_steps_;
    std::vector<std::int32_t> blocks_with_sources_;
    std::int64_t macro_ = -1;  ///< step under way; -1: none
    std::vector<Call> calls_, recorded_;
    std::optional<device::Recording> recording_;
};

template <class T>
GpuEngine<T>::GpuEngine(EngineSetup setup, const device::Queue& queue)
    : setup_(std::move(setup)),
      queue_(queue),
      N_(setup_.params.order - 1),
      mechanisms_(static_cast<int>(setup_.model.solids.front().mechanisms.size())),
      ticks_(std::int64_t{1} << (setup_.layout.n_clusters - 1)),
      defers_(setup_.layout.peers.empty() && ticks_ <= kMostTicks),
      window_(std::max(GpuPointSet::bytes_per_macro(setup_), GpuFaultSet::bytes_per_macro(setup_)),
              queue_),
      points_(setup_, window_, queue_),
      unknowns_(tet_modes(N_) * (kQuantities + kStresses * mechanisms_), setup_.lanes,
                setup_.layout.n_blocks(), queue_),
      terms_(std::span<const T>(block_terms()), queue_),
      records_(record_numbers<T>(face_modes(N_)) * setup_.lanes, setup_.layout.n_records, queue_),
      first_other_(std::span<const std::int32_t>(setup_.layout.first_other), queue_),
      other_steps_(std::span<const Layout::OtherStep>(setup_.layout.other_steps), queue_) {
    const Layout& layout = setup_.layout;
    if (layout.n_clusters > GpuRanges::kMost) {
        throw Error(ErrorCode::InvalidArgument,
                    "a GPU takes at most " + std::to_string(GpuRanges::kMost) +
                        " clusters of steps, the mesh needs " + std::to_string(layout.n_clusters));
    }
    if (setup_.model.plasticity.at) {
        yielding_.emplace(setup_, queue_);
    }
    const bool with_faults = !setup_.model.fault.laws.empty();
    if (with_faults || !layout.conditions.empty()) {
        conditions_.emplace(setup_, queue_);
        elements_.conditions = conditions_->of_kernels();
        surface_.emplace(setup_, *conditions_, queue_);
    }
    if (with_faults) {
        faults_.emplace(setup_, conditions_->tables(), conditions_->of_kernels().kept, window_,
                        queue_);
    }
    if (setup_.model.balances_energy()) {
        outflow_.emplace(setup_, queue_);
    }
    const TaylorWeights weights(N_ + 1);
    for (int i = 0; i <= N_; ++i) {
        weights_.mean[i] = static_cast<T>(weights.mean[i]);
        weights_.first_half[i] = static_cast<T>(weights.first_half[i]);
        weights_.end[i] = static_cast<T>(weights.end[i]);
    }
    for (std::int32_t b = 0; b < layout.n_blocks(); ++b) {
        if (setup_.points.first_source[b] != setup_.points.first_source[b + 1]) {
            blocks_with_sources_.push_back(b);
        }
    }
    source_blocks_ = {std::span<const std::int32_t>(blocks_with_sources_), queue_};
    elements_.lane_bits = setup_.lanes == 4 ? 2 : setup_.lanes == 2 ? 1 : 0;
    elements_.mechanisms = mechanisms_;
    elements_.unknowns = unknowns_.on_gpu();
    elements_.terms = terms_.data();
    elements_.records = records_.on_gpu();
    for (int k = 0; k < 2; ++k) {
        beyond_[k] = {std::span<const std::int32_t>(layout.beyond[k]), queue_};
        elements_.beyond[k] = beyond_[k].data();
    }
    elements_.other_steps = other_steps_.data();
    elements_.first_other = first_other_.data();
    if (mechanisms_ > 0) {
        theta_ = Buffer<T>(std::size_t(resident_blocks_cuda<T>(N_, queue_)) * tet_modes(N_) *
                               kStresses * mechanisms_ * kColumns<T>,
                           queue_);
        elements_.theta = theta_.data();
    }
}

template <class T>
std::vector<double> GpuEngine<T>::squares() {
    end_macro();
    unknowns_.give_back();
    const std::int32_t n_blocks = setup_.layout.n_blocks();
    const Buffer<double> mass = device::copied(mass_matrix(N_), queue_);
    Buffer<double> all(std::size_t(n_blocks) * Squares::kFields * kColumns<T>, queue_);
    squares_cuda(N_, elements_, n_blocks, mass.data(), all.data(), queue_);
    std::vector<double> here(all.size());
    device::download<double>(all, here, queue_);
    return here;
}

template <class T>
std::vector<T> GpuEngine<T>::block_terms() const {
    const Layout& layout = setup_.layout;
    const std::size_t size = Terms::size(mechanisms_), per_block = layout.per_block;
    std::vector<T> terms(size * layout.tets.size());
    for (int c = 0; c < layout.n_clusters; ++c) {
        parallel_for((layout.first[c + 1] - layout.first[c]) * layout.per_block,
                     [&](std::int64_t k) {
                         const std::size_t slot = layout.first[c] * per_block + k;
                         if (layout.tets[slot] < 0) {
                             return;
                         }
                         const std::vector<double> of = element_terms(setup_, layout.tets[slot], c);
                         for (std::size_t q = 0; q < size; ++q) {
                             terms[(slot / per_block * size + q) * per_block + slot % per_block] =
                                 static_cast<T>(of[q]);
                         }
                     },
                     64);
    }
    return terms;
}

template <class T>
GpuRanges GpuEngine<T>::ranges_of(const Call& call, std::span<const std::int32_t> list) const {
    GpuRanges all;
    for (const BlockRange& of : call.ranges) {
        std::int32_t begin = of.begin, end = of.end;
        if (!list.empty()) {
            const auto place = [&](std::int32_t block) {
                return static_cast<std::int32_t>(std::ranges::lower_bound(list, block) -
                                                 list.begin());
            };
            begin = place(begin);
            end = place(end);
        }
        if (begin == end) {
            continue;
        }
        const std::int64_t step = call.tick >> of.cluster;
        GpuRanges::Range& range = all.ranges[all.n++];
        range = {begin, all.n_blocks, of.cluster, 0, 0, 0};
        const bool predicts = call.kind == Call::Kind::Predict;
        range.odd = static_cast<int>((predicts ? step : step + 1) % 2);
        if (predicts) {
            points_.set_slots(range, step);
        }
        all.n_blocks += end - begin;
    }
    return all;
}

template <class T>
void GpuEngine<T>::launch(const Call& call) {
    switch (call.kind) {
        case Call::Kind::Predict:
            launch_predictors(call);
            if (outflow_) {
                outflow_->add(call.ranges, static_cast<const T*>(records_.on_gpu()));
            }
            break;
        case Call::Kind::SolveConditions:
            surface_->rise(call.m, records_.on_gpu());
            if (faults_) {
                faults_->solve(call.m, call.tick, records_.on_gpu());
            }
            break;
        case Call::Kind::Correct:
            correct_cuda(N_, elements_, ranges_of(call, {}), queue_);
            if (yielding_) {
                yielding_->relax(elements_, ranges_of(call, {}));
            }
            break;
    }
}

template <class T>
void GpuEngine<T>::launch_predictors(const Call& call) {
    const GpuRanges all = ranges_of(call, {});
    for (const BlockRange& range : call.ranges) {
        see_peaks(range.begin, range.end);
    }
    if (mechanisms_ > 0) {
        predict_full_cuda(N_, elements_, all, setup_.step_s, points_.of_kernels(), queue_);
        return;
    }
    predict_cuda(N_, elements_, all, weights_, points_.of_kernels(), queue_);
    if (!blocks_with_sources_.empty()) {
        GpuRanges some = ranges_of(call, blocks_with_sources_);
        some.list = source_blocks_.data();
        predict_full_cuda(N_, elements_, some, setup_.step_s, points_.of_kernels(), queue_);
    }
}

template <class T>
void GpuEngine<T>::begin_macro() {
    unknowns_.give_back();
    if (faults_) {
        faults_->give_back();
    }
    if (yielding_) {
        yielding_->give_back();
    }
    if (window_.holds(macro_)) {
        return;
    }
    points_.leave_window();
    if (faults_) {
        faults_->leave_window();
    }
    window_.begin(macro_);
    points_.enter_window();
}

template <class T>
void GpuEngine<T>::end_macro() {
    if (macro_ < 0) {
        return;
    }
    if (defers_) {
        if (!recording_ || recorded_ != calls_) {
            recorded_ = calls_;
            recording_.emplace();
        }
        recording_->run(
            {},
            [&] {
                for (const Call& call : recorded_) {
                    launch(call);
                }
                window_.count();
            },
            queue_);
        calls_.clear();
    } else {
        window_.count();
    }
    window_.end();
    macro_ = -1;
}

}  // namespace

std::unique_ptr<Engine> make_gpu_engine(EngineSetup setup, const device::Queue& queue) {
    if (setup.params.precision == Precision::Single) {
        return std::make_unique<GpuEngine<float>>(std::move(setup), queue);
    }
    return std::make_unique<GpuEngine<double>>(std::move(setup), queue);
}

}  // namespace kaname::aderdg
#endif
