// #region quiet
const nextConfig = {
  webpack: (config: { ignoreWarnings?: unknown[] }) => {
    config.ignoreWarnings = [...(config.ignoreWarnings ?? []), /Can't resolve '@ai-sdk\//];
    return config;
  },
};
// #endregion
console.log(nextConfig.webpack({}).ignoreWarnings?.length);

// prints: 1
