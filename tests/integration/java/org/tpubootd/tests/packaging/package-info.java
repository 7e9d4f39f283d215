/** The Debian package: what is in it, its cache, and how it comes and goes in a Debian. */
package org.tpubootd.tests.packaging;
