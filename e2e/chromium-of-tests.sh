#!/bin/sh
# Chromium draws two hidden pages for the suggestions of its address bar in each window, which take
# more time than most pages under test. Of several lists of features the last one alone counts, so
# these two are added to Playwright's own.
for argument; do
  shift
  case "$argument" in
    --disable-features=*) argument="$argument,WebUIOmniboxPopup,WebUIOmniboxAimPopup" ;;
  esac
  set -- "$@" "$argument"
done
exec "${CHROMIUM_PATH:-/usr/bin/chromium}" "$@"
