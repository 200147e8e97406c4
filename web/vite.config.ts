import { defineConfig } from "vite";

// The bundle is committed, so that a clone installs without Node: names without hashes keep its history readable.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/handshift/web/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "workbench.js",
        assetFileNames: "[name][extname]",
        codeSplitting: false,
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8321" } },
});
