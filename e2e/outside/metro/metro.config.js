const { join } = require('node:path');
const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config');

module.exports = mergeConfig(getDefaultConfig(__dirname), {
  // there is no React Native here to set up
  serializer: { getModulesRunBeforeMainModule: () => [] },
  // where pnpm keeps the packages; @babel/runtime is found in the app for all of them
  watchFolders: [join(__dirname, '..', 'node_modules')],
  resolver: { nodeModulesPaths: [join(__dirname, 'node_modules')] },
});
