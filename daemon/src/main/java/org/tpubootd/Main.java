package org.tpubootd;

/** The program. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {}
}
