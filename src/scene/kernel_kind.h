/* The smoothing kernels a scene may name (matter/kernel.h has the formulas). */
#ifndef DLP_SCENE_KERNEL_KIND_H
#define DLP_SCENE_KERNEL_KIND_H

typedef enum dlp_kernel_kind {
    DLP_KERNEL_DESBRUN,
    DLP_KERNEL_SPLINE,
    DLP_KERNEL_WENDLAND,
    DLP_KERNEL_MULLER /* poly6 for densities, desbrun (spiky) for gradients */
} dlp_kernel_kind;

#endif
