// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/queue.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

namespace kaname::viscoelastic {

/// How the forces of elements that share a node are added up on a GPU. The cases of Yamaguchi et
/// al. (2018): A and B add every element with atomics, for one source and for four; C and D sum per
/// block in shared memory, D with the nodes sorted by their number of contributions (NodeOrder).
enum class Scatter {
    Atomics,       ///< every element adds to global memory with atomics
    BlockAtomics,  ///< one launch in spatial order: sums of an element block, then atomics per node
    Coloured,      ///< the same without atomics, a launch per colour: results repeat bit for bit
};

/// y += A x over P2 tetrahedra, element by element; A is never stored.
///
/// Layout, slowest index first (N local nodes):
///   x, y  [N][3][4]  displacement, force in scaled units; four sources
/// Only the colours [first_colour, last_colour) are computed, so that the elements at shared nodes
/// can go before the rest. On the CPU no atomics: blocks of one colour share no node, results
/// repeat bit for bit for any number of threads. Cost: about 850 flop per element and source;
/// memory per element 84 B (FP32) for conn and coef plus the nodes once per block. With `pressure`
/// [pressure nodes + 1][4], y += int B^T p I besides, p linear with these values at the vertices of
/// elements that have pressure nodes. Throws InvalidArgument when x and y differ in size or the
/// elements have no pressure nodes.
template <class T>
struct EbeApplyArgs {
    const ElementGroups<T>& elements;
    device::View<const T> x;
    device::View<T> y;
    int first_colour = 0;
    int last_colour = 0;
    device::View<const T> pressure = {};
    Scatter scatter = Scatter::Coloured;  ///< on a GPU
};
template <class T>
void ebe_apply(const EbeApplyArgs<T>& args, device::Queue& queue);

/// y [pressure nodes + 1][4] += int L_v div x; elements without pressure nodes add nothing. The
/// same colours; about 200 flop per element and source.
/// Throws InvalidArgument when the elements have no pressure nodes.
template <class T>
struct EbeDilatationArgs {
    const ElementGroups<T>& elements;
    device::View<const T> x;
    device::View<T> y;
    int first_colour = 0;
    int last_colour = 0;
};
template <class T>
void ebe_dilatation(const EbeDilatationArgs<T>& args, device::Queue& queue);

template <class T>
void ebe_apply_cpu(const EbeApplyArgs<T>& args);
template <class T>
void ebe_dilatation_cpu(const EbeDilatationArgs<T>& args);
template <class T>
void ebe_apply_cuda(const EbeApplyArgs<T>& args, device::Queue& queue);
template <class T>
void ebe_dilatation_cuda(const EbeDilatationArgs<T>& args, device::Queue& queue);

}  // namespace kaname::viscoelastic
