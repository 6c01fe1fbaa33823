-- SPDX-License-Identifier: BSD-3-Clause
select current_database()
