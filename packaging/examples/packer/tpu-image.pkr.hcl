# SPDX-License-Identifier: Apache-2.0
# An image for Cloud TPU VMs, made out of a stock Ubuntu by Packer:
#
#   packer init .
#   packer build -var project_id=PROJECT -var deb=tpu-bootd_0.1.0_amd64.deb .
#
# What is done in the VM stands in provision.sh.

packer {
  required_plugins {
    googlecompute = {
      source  = "github.com/hashicorp/googlecompute"
      version = "~> 1"
    }
  }
}

variable "project_id" {
  type        = string
  description = "The project that the image is made in."
}

variable "deb" {
  type        = string
  description = "The package tpu-bootd, a file on this machine."
}

variable "zone" {
  type    = string
  default = "us-central1-a"
}

variable "source_image_family" {
  type    = string
  default = "ubuntu-2204-lts"
}

variable "source_image_project" {
  type    = string
  default = "ubuntu-os-cloud"
}

variable "tpu_generation" {
  type        = string
  default     = "any"
  description = "any, v5e, v5p, v6e or tpu7x: decides on intel_iommu."
}

variable "pull_images" {
  type        = bool
  default     = true
  description = "Whether the images of the containers are to be in the image."
}

locals {
  timestamp = regex_replace(timestamp(), "[- TZ:]", "")
}

source "googlecompute" "tpu" {
  project_id              = var.project_id
  zone                    = var.zone
  source_image_family     = var.source_image_family
  source_image_project_id = [var.source_image_project]
  # Needs no TPU. Its service account pulls the containers' images.
  machine_type      = "e2-standard-4"
  disk_size         = 20
  ssh_username      = "packer"
  image_name        = "tpu-host-${local.timestamp}"
  image_family      = "tpu-host"
  image_description = "Cloud TPU host by tpu-bootd, for generation ${var.tpu_generation}"
}

build {
  sources = ["source.googlecompute.tpu"]

  provisioner "file" {
    source      = var.deb
    destination = "/tmp/tpu-bootd.deb"
  }

  provisioner "shell" {
    script          = "${path.root}/provision.sh"
    execute_command = "chmod +x {{ .Path }}; sudo env {{ .Vars }} {{ .Path }}"
    environment_vars = [
      "DEB=/tmp/tpu-bootd.deb",
      "TPU_GENERATION=${var.tpu_generation}",
      "PULL_IMAGES=${var.pull_images}",
    ]
  }
}
