// Every entry of the packages: its types are checked, too, where a project has skipLibCheck off.
export * as core from '@cueline/core';
export * as agents from '@cueline/core/agents';
export * as aiSdk from '@cueline/core/ai-sdk';
export * as evals from '@cueline/core/evals';
export * as inspect from '@cueline/core/inspect';
export * as library from '@cueline/core/library';
export * as link from '@cueline/core/link';
export * as models from '@cueline/core/models';
export * as plugins from '@cueline/core/plugins';
export * as replay from '@cueline/core/replay';
export * as server from '@cueline/core/server';
export * as testing from '@cueline/core/testing';
export * as demoModel from '@cueline/demo-model';
export * as demoModelStream from '@cueline/demo-model/stream';
export * as edge from '@cueline/edge';
export * as react from '@cueline/react';
export * as indexeddb from '@cueline/react/indexeddb';
