// Runs all unit tests of the page as one file, so that each test is one case.

import './drawing_tests.js';
import './geometry_tests.js';
import './language_tests.js';
import './order_tests.js';
import './past_tests.js';
import './stays_tests.js';
import './text_tests.js';
