# SPDX-License-Identifier: MIT
# "dh --with gsym": dh_gsym runs after dh_strip.  The file belongs into
# /usr/share/perl5/Debian/Debhelper/Sequence, and dh_gsym into /usr/bin; or both
# into a folder of the source package, as debian/rules shows.
use strict;
use warnings;
use Debian::Debhelper::Dh_Lib;

insert_after("dh_strip", "dh_gsym");

1;
