"""A small convolutional network for 64 x 64 photographs, in numpy.

8 x 8 patches -> 32 filters -> ReLU -> 128 units -> ReLU -> classes; softmax cross-entropy and
gradient descent with momentum.
"""

from __future__ import annotations

import numpy as np

PATCH = 8
FILTERS = 32
HIDDEN = 128


class Network:
    def __init__(self, image_size: int, classes: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        patches = (image_size // PATCH) ** 2

        def weights(rows: int, columns: int) -> np.ndarray:
            return rng.normal(0, np.sqrt(2 / rows), (rows, columns)).astype(np.float32)

        self.parameters = {
            "filters": weights(PATCH * PATCH * 3, FILTERS),
            "filters_bias": np.zeros(FILTERS, np.float32),
            "hidden": weights(patches * FILTERS, HIDDEN),
            "hidden_bias": np.zeros(HIDDEN, np.float32),
            "classes": weights(HIDDEN, classes),
            "classes_bias": np.zeros(classes, np.float32),
        }
        self._speed = {name: np.zeros_like(value) for name, value in self.parameters.items()}

    def gradients(
        self, pixels: np.ndarray, labels: np.ndarray
    ) -> tuple[float, float, dict[str, np.ndarray]]:
        """Loss, share of right answers, and the gradient of every parameter."""
        p = self.parameters
        batch = len(pixels)
        patches = split_patches(pixels)
        filtered = np.maximum(patches @ p["filters"] + p["filters_bias"], 0)
        flat = filtered.reshape(batch, -1)
        hidden = np.maximum(flat @ p["hidden"] + p["hidden_bias"], 0)
        scores = hidden @ p["classes"] + p["classes_bias"]
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        right = chances[np.arange(batch), labels]
        loss = float(-np.log(np.maximum(right, 1e-9)).mean())
        accuracy = float((chances.argmax(axis=1) == labels).mean())

        to_scores = chances
        to_scores[np.arange(batch), labels] -= 1
        to_scores /= batch
        to_hidden = (to_scores @ p["classes"].T) * (hidden > 0)
        to_filtered = ((to_hidden @ p["hidden"].T) * (flat > 0)).reshape(-1, FILTERS)
        gradients = {
            "filters": patches.reshape(-1, PATCH * PATCH * 3).T @ to_filtered,
            "filters_bias": to_filtered.sum(axis=0),
            "hidden": flat.T @ to_hidden,
            "hidden_bias": to_hidden.sum(axis=0),
            "classes": hidden.T @ to_scores,
            "classes_bias": to_scores.sum(axis=0),
        }
        return loss, accuracy, gradients

    def step(self, gradients: dict[str, np.ndarray], rate: float) -> None:
        for name, gradient in gradients.items():
            self._speed[name] = 0.9 * self._speed[name] - rate * gradient
            self.parameters[name] += self._speed[name]


def split_patches(pixels: np.ndarray) -> np.ndarray:
    """uint8 (batch, side, side, 3) -> float32 (batch, patches, PATCH * PATCH * 3) around 0."""
    batch, side = pixels.shape[:2]
    count = side // PATCH
    tiles = pixels.reshape(batch, count, PATCH, count, PATCH, 3).transpose(0, 1, 3, 2, 4, 5)
    flat = tiles.reshape(batch, count * count, PATCH * PATCH * 3)
    return flat.astype(np.float32) * np.float32(1 / 128) - np.float32(1)
