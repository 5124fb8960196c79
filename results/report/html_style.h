#pragma once

namespace lockstep::report {

/// The style sheet of a page: light or dark as the reader's system says, and for printing. Colours after Okabe and Ito
/// (2008), which people with any colour vision tell apart; c0 to c6 are the series of figures.
extern const char* const kStyle;

}  // namespace lockstep::report
