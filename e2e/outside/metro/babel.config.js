module.exports = {
  presets: ['module:@react-native/babel-preset'],
  // zod has `export * as`
  plugins: ['@babel/plugin-transform-export-namespace-from'],
};
