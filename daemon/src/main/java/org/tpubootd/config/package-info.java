/**
 * The configuration: records, and the loader that makes them of YAML files and says what is wrong
 * in them.
 */
@NullMarked
package org.tpubootd.config;

import org.jspecify.annotations.NullMarked;
