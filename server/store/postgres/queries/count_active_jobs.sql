-- SPDX-License-Identifier: BSD-3-Clause
select count(*) from job where state = 'active'
