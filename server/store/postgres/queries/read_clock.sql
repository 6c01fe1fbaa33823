-- SPDX-License-Identifier: BSD-3-Clause
select extract(epoch from store_now())
