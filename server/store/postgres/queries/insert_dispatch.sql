-- SPDX-License-Identifier: BSD-3-Clause
insert into dispatch (dispatch_id, place, pool)
values ($1, $2, $3)
on conflict do nothing
returning 1
