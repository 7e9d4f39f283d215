/** The VM lab: an image with the package in it, booted by QEMU on a host with TPU functions. */
package org.tpubootd.tests.vm;
