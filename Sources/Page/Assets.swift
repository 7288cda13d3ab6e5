// swift-format-ignore-file
// Written by Sources/Page/embed from the files in Assets: change those.

/// The files of the page, by name.
let embeddedAssets: [String: StaticString] = [
    "index.html": #"""
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Forgetmenot</title>
<p>The page.</p>
</html>

"""#,
    "openapi.json": #"""
{
 "openapi": "3.1.0",
 "info": {
  "title": "Forgetmenot",
  "version": "1",
  "description": "The HTTP interface of `forgetmenot run`. Requests that change something send the header X-Forgetmenot-CSRF with the csrf of /api/v1/site, unless they carry a token.",
  "license": {
   "name": "MIT",
   "identifier": "MIT"
  }
 },
 "servers": [
  {
   "url": "/"
  }
 ],
 "paths": {
  "/healthz": {
   "get": {
    "summary": "Whether the aggregator runs and the broker is connected",
    "tags": [
     "operation"
    ],
    "x-role": "anybody",
    "security": [],
    "responses": {
     "200": {
      "description": "All runs.",
      "content": {
       "text/plain; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "description": "What does not run, in a sentence.",
      "content": {
       "text/plain; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     }
    }
   }
  },
  "/metrics": {
   "get": {
    "summary": "Metrics for Prometheus",
    "tags": [
     "operation"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The text format of Prometheus.",
      "content": {
       "text/plain; version=0.0.4; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/openapi.json": {
   "get": {
    "summary": "This description",
    "tags": [
     "operation"
    ],
    "x-role": "anybody",
    "security": [],
    "responses": {
     "200": {
      "description": "OpenAPI 3.1.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object"
        }
       }
      }
     },
     "304": {
      "description": "It has not changed."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/login": {
   "post": {
    "summary": "Sign in",
    "tags": [
     "session"
    ],
    "x-role": "anybody",
    "security": [],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "user": {
          "type": "string"
         },
         "password": {
          "type": "string"
         }
        },
        "required": [
         "user",
         "password"
        ]
       }
      }
     }
    },
    "responses": {
     "204": {
      "description": "A session begins: the response sets its cookie."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "429": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/logout": {
   "post": {
    "summary": "Sign out",
    "tags": [
     "session"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "204": {
      "description": "The session is over."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/site": {
   "get": {
    "summary": "The site, and who asks",
    "tags": [
     "state"
    ],
    "x-role": "anybody",
    "security": [],
    "responses": {
     "200": {
      "description": "Who has not signed in gets only role, csrf, login_required and time.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Site"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items": {
   "get": {
    "summary": "All items with their locations",
    "tags": [
     "state"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The items.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "items": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Item"
           }
          }
         },
         "required": [
          "items"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   },
   "post": {
    "summary": "Add an item",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/NewItem"
       }
      }
     }
    },
    "responses": {
     "201": {
      "description": "The item.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "item": {
           "type": "string"
          }
         },
         "required": [
          "item"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/{item}": {
   "patch": {
    "summary": "Rename an item, or change its notifications or measured power",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "path",
      "required": true,
      "description": "The item's id.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "$ref": "#/components/schemas/ItemChange"
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "The item.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "item": {
           "type": "string"
          }
         },
         "required": [
          "item"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   },
   "delete": {
    "summary": "Remove an item",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "path",
      "required": true,
      "description": "The item's id.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     },
     {
      "name": "past",
      "in": "query",
      "required": false,
      "description": "Whether its past is deleted as well.",
      "schema": {
       "type": "boolean"
      }
     }
    ],
    "responses": {
     "204": {
      "description": "It is removed."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "500": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/{item}/acknowledge": {
   "post": {
    "summary": "Acknowledge an item's notification",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "path",
      "required": true,
      "description": "The item's id.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     }
    ],
    "responses": {
     "204": {
      "description": "It is acknowledged, or there was none."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/export": {
   "get": {
    "summary": "All items, as items export prints them",
    "tags": [
     "items"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The items.",
      "content": {
       "application/json": {
        "schema": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/RegistryItem"
         }
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/items/import": {
   "post": {
    "summary": "Add the items of an export",
    "tags": [
     "items"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "array",
        "items": {
         "$ref": "#/components/schemas/NewItem"
        }
       }
      }
     }
    },
    "responses": {
     "200": {
      "description": "How many were added, how many existed already, and why others were refused.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "added": {
           "type": "integer"
          },
          "known": {
           "type": "integer"
          },
          "refused": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "index": {
              "type": "integer"
             },
             "error": {
              "type": "string"
             }
            },
            "required": [
             "index",
             "error"
            ]
           }
          }
         },
         "required": [
          "added",
          "known",
          "refused"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/gateways": {
   "get": {
    "summary": "All gateways and their health",
    "tags": [
     "state"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The gateways.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "gateways": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Gateway"
           }
          }
         },
         "required": [
          "gateways"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/plan": {
   "get": {
    "summary": "The floor plan of the configuration",
    "tags": [
     "state"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The plan.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/Plan"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/stream": {
   "get": {
    "summary": "What changes, as server-sent events",
    "tags": [
     "streams"
    ],
    "description": "A client that does not keep up is cut off and connects again. A comment every 15 s shows that the connection stands.",
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "First site, items, gateways; then item, item_removed, gateway, gateway_removed, site, event and survey.",
      "content": {
       "text/event-stream": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/nearby": {
   "get": {
    "summary": "The beacons in range of the gateways, every second, as server-sent events",
    "tags": [
     "streams"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "Events nearby: the beacons, the strongest RSSI first.",
      "content": {
       "text/event-stream": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/surveys": {
   "get": {
    "summary": "The surveys and what was learned",
    "tags": [
     "surveys"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "200": {
      "description": "The payload of the request learning, and the survey that runs.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "surveys": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Survey"
           }
          },
          "current": {
           "anyOf": [
            {
             "$ref": "#/components/schemas/SurveyProgress"
            },
            {
             "type": "null"
            }
           ]
          }
         },
         "required": [
          "surveys",
          "current"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   },
   "post": {
    "summary": "Begin to survey a room",
    "tags": [
     "surveys"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {
       "schema": {
        "type": "object",
        "properties": {
         "item": {
          "type": "string"
         },
         "room": {
          "type": "string"
         },
         "for_s": {
          "type": "integer",
          "minimum": 10,
          "maximum": 600
         }
        },
        "required": [
         "item",
         "room"
        ]
       }
      }
     }
    },
    "responses": {
     "201": {
      "description": "The survey runs; its progress and result are events of the stream.",
      "content": {
       "application/json": {
        "schema": {
         "$ref": "#/components/schemas/SurveyProgress"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "413": {
      "$ref": "#/components/responses/Error"
     },
     "415": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/surveys/current": {
   "delete": {
    "summary": "End the survey that runs, without storing it",
    "tags": [
     "surveys"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "responses": {
     "204": {
      "description": "It is discarded."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/surveys/{room}": {
   "delete": {
    "summary": "Remove the surveys of a room, or one by its number",
    "tags": [
     "surveys"
    ],
    "x-role": "admin",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "room",
      "in": "path",
      "required": true,
      "description": "The room's name, or a survey's number.",
      "schema": {
       "type": "string",
       "minLength": 1,
       "maxLength": 256
      }
     }
    ],
    "responses": {
     "204": {
      "description": "They are removed."
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "409": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "502": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     },
     "504": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/history": {
   "get": {
    "summary": "Where items were",
    "tags": [
     "history"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "query",
      "required": false,
      "description": "Only this item.",
      "schema": {
       "type": "string"
      }
     },
     {
      "name": "from",
      "in": "query",
      "required": false,
      "description": "The beginning; a day before the end by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     },
     {
      "name": "to",
      "in": "query",
      "required": false,
      "description": "The end; now by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     },
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "description": "The most stays in the response.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 1000
      }
     },
     {
      "name": "cursor",
      "in": "query",
      "required": false,
      "description": "The next of the response before.",
      "schema": {
       "type": "string"
      }
     },
     {
      "name": "format",
      "in": "query",
      "required": false,
      "description": "csv or json, instead of the header Accept.",
      "schema": {
       "type": "string",
       "enum": [
        "csv",
        "json"
       ]
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The stays that overlap the time, by item and beginning.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "stays": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/Stay"
           }
          },
          "next": {
           "anyOf": [
            {
             "type": "string"
            },
            {
             "type": "null"
            }
           ]
          }
         },
         "required": [
          "stays",
          "next"
         ]
        }
       },
       "text/csv; charset=utf-8": {
        "schema": {
         "type": "string"
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/history/at": {
   "get": {
    "summary": "Where every item was at a time",
    "tags": [
     "history"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "time",
      "in": "query",
      "required": true,
      "description": "The time.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     }
    ],
    "responses": {
     "200": {
      "description": "The states.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "items": {
           "type": "array",
           "items": {
            "$ref": "#/components/schemas/State"
           }
          }
         },
         "required": [
          "items"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  },
  "/api/v1/history/rooms": {
   "get": {
    "summary": "How long items were in each room",
    "tags": [
     "history"
    ],
    "x-role": "reader",
    "security": [
     {
      "token": []
     },
     {
      "session": []
     }
    ],
    "parameters": [
     {
      "name": "item",
      "in": "query",
      "required": false,
      "description": "Only this item.",
      "schema": {
       "type": "string"
      }
     },
     {
      "name": "from",
      "in": "query",
      "required": false,
      "description": "The beginning; a day before the end by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     },
     {
      "name": "to",
      "in": "query",
      "required": false,
      "description": "The end; now by default.",
      "schema": {
       "type": "string",
       "format": "date-time"
      }
     }
    ],
    "responses": {
     "200": {
      "description": "Seconds by item and room.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "properties": {
          "rooms": {
           "type": "array",
           "items": {
            "type": "object",
            "properties": {
             "item": {
              "type": "string"
             },
             "presence": {
              "type": "string",
              "enum": [
               "home",
               "away",
               "unknown"
              ]
             },
             "room": {
              "type": "string"
             },
             "seconds": {
              "type": "number"
             }
            },
            "required": [
             "item",
             "presence",
             "seconds"
            ]
           }
          }
         },
         "required": [
          "rooms"
         ]
        }
       }
      }
     },
     "400": {
      "$ref": "#/components/responses/Error"
     },
     "401": {
      "$ref": "#/components/responses/Error"
     },
     "403": {
      "$ref": "#/components/responses/Error"
     },
     "404": {
      "$ref": "#/components/responses/Error"
     },
     "421": {
      "$ref": "#/components/responses/Error"
     },
     "503": {
      "$ref": "#/components/responses/Error"
     }
    }
   }
  }
 },
 "components": {
  "schemas": {
   "Error": {
    "type": "object",
    "properties": {
     "error": {
      "type": "string",
      "description": "One sentence."
     }
    },
    "required": [
     "error"
    ]
   },
   "Notify": {
    "type": "object",
    "properties": {
     "left": {
      "type": "boolean"
     },
     "returned": {
      "type": "boolean"
     },
     "after_s": {
      "type": "integer",
      "minimum": 0,
      "maximum": 31536000
     },
     "repeat_s": {
      "type": "integer",
      "minimum": 1,
      "maximum": 31536000
     },
     "until_s": {
      "type": "integer",
      "minimum": 1,
      "maximum": 31536000
     },
     "from": {
      "type": "string",
      "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
     },
     "to": {
      "type": "string",
      "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
     },
     "left_text": {
      "type": "string",
      "maxLength": 1000
     },
     "returned_text": {
      "type": "string",
      "maxLength": 1000
     }
    }
   },
   "Item": {
    "type": "object",
    "properties": {
     "item": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "room": {
      "type": "string"
     },
     "confidence": {
      "type": "number"
     },
     "rooms": {
      "type": "object",
      "additionalProperties": {
       "type": "number"
      }
     },
     "gateway": {
      "type": "string"
     },
     "proximity": {
      "type": "string"
     },
     "accuracy_m": {
      "type": "number"
     },
     "since": {
      "type": "string",
      "format": "date-time"
     },
     "last_seen_at": {
      "type": "string",
      "format": "date-time"
     },
     "x_m": {
      "type": "number"
     },
     "y_m": {
      "type": "number"
     },
     "floor": {
      "type": "integer"
     },
     "error": {
      "type": "string"
     },
     "uuid": {
      "type": "string",
      "format": "uuid"
     },
     "major": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "minor": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "measured_power_dbm": {
      "type": "integer",
      "minimum": -100,
      "maximum": -10
     },
     "received": {
      "type": "boolean",
      "description": "Whether a gateway receives the item now."
     },
     "stale": {
      "type": "boolean",
      "description": "Whether nobody updates the location: the aggregator or the broker does not run."
     },
     "configured": {
      "type": "boolean",
      "description": "Whether the item is part of the configuration, so that no request changes it."
     },
     "notification": {
      "anyOf": [
       {
        "type": "object"
       },
       {
        "type": "null"
       }
      ]
     },
     "notify": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/Notify"
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "required": [
     "item",
     "name",
     "presence",
     "uuid",
     "major",
     "minor",
     "stale",
     "configured"
    ]
   },
   "RegistryItem": {
    "type": "object",
    "properties": {
     "id": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "uuid": {
      "type": "string",
      "format": "uuid"
     },
     "major": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "minor": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "measured_power_dbm": {
      "type": "integer",
      "minimum": -100,
      "maximum": -10
     },
     "notify": {
      "$ref": "#/components/schemas/Notify"
     }
    },
    "required": [
     "id",
     "name",
     "uuid",
     "major",
     "minor"
    ]
   },
   "NewItem": {
    "type": "object",
    "properties": {
     "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 256,
      "pattern": "\\S"
     },
     "uuid": {
      "type": "string",
      "format": "uuid"
     },
     "major": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "minor": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535
     },
     "id": {
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_.-]{0,63}$"
     },
     "measured_power_dbm": {
      "type": "integer",
      "minimum": -100,
      "maximum": -10
     },
     "notify": {
      "$ref": "#/components/schemas/Notify"
     }
    },
    "required": [
     "name",
     "uuid",
     "major",
     "minor"
    ]
   },
   "ItemChange": {
    "type": "object",
    "properties": {
     "name": {
      "type": "string",
      "minLength": 1,
      "maxLength": 256,
      "pattern": "\\S"
     },
     "measured_power_dbm": {
      "anyOf": [
       {
        "type": "integer",
        "minimum": -100,
        "maximum": -10
       },
       {
        "type": "null"
       }
      ]
     },
     "notify": {
      "anyOf": [
       {
        "type": "object"
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "additionalProperties": false,
    "minProperties": 1,
    "description": "Members that are absent stay; null removes a setting."
   },
   "Gateway": {
    "type": "object",
    "properties": {
     "id": {
      "type": "string"
     },
     "room": {
      "type": "string"
     },
     "alive": {
      "type": "boolean"
     },
     "availability": {
      "type": "string"
     },
     "version": {
      "type": "string"
     },
     "radio": {
      "type": "object",
      "properties": {
       "source": {
        "type": "string"
       },
       "interface": {
        "type": "string"
       },
       "state": {
        "type": "string"
       },
       "reason": {
        "type": "string"
       }
      }
     },
     "problems": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "regions": {
      "type": "integer"
     },
     "last_info_at": {
      "type": "string",
      "format": "date-time"
     }
    },
    "required": [
     "id",
     "alive",
     "problems"
    ]
   },
   "Plan": {
    "type": "object",
    "properties": {
     "floors": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "floor": {
         "type": "integer"
        },
        "rooms": {
         "type": "array",
         "items": {
          "type": "object",
          "properties": {
           "name": {
            "type": "string"
           },
           "polygon_m": {
            "type": "array",
            "items": {
             "type": "array",
             "items": {
              "type": "number"
             },
             "minItems": 2,
             "maxItems": 2
            }
           }
          },
          "required": [
           "name",
           "polygon_m"
          ]
         }
        }
       },
       "required": [
        "floor",
        "rooms"
       ]
      }
     },
     "doors": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "between": {
         "type": "array",
         "items": {
          "type": "string"
         },
         "minItems": 2,
         "maxItems": 2
        },
        "at_m": {
         "anyOf": [
          {
           "type": "array",
           "items": {
            "type": "number"
           },
           "minItems": 2,
           "maxItems": 2
          },
          {
           "type": "null"
          }
         ]
        },
        "floor": {
         "type": "integer"
        }
       }
      }
     },
     "gateways": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "id": {
         "type": "string"
        },
        "x_m": {
         "type": "number"
        },
        "y_m": {
         "type": "number"
        },
        "floor": {
         "type": "integer"
        }
       },
       "required": [
        "id",
        "x_m",
        "y_m"
       ]
      }
     },
     "editable": {
      "type": "boolean"
     },
     "picture": {
      "type": "boolean"
     }
    },
    "required": [
     "floors",
     "doors",
     "gateways"
    ]
   },
   "Site": {
    "type": "object",
    "properties": {
     "version": {
      "type": "string"
     },
     "time": {
      "type": "string",
      "format": "date-time"
     },
     "broker_connected": {
      "type": "boolean"
     },
     "aggregator_alive": {
      "type": "boolean"
     },
     "problems": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "rooms": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "plan": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/Plan"
       },
       {
        "type": "null"
       }
      ]
     },
     "role": {
      "anyOf": [
       {
        "type": "string",
        "enum": [
         "admin",
         "reader"
        ]
       },
       {
        "type": "null"
       }
      ]
     },
     "user": {
      "type": "string"
     },
     "login_required": {
      "type": "boolean"
     },
     "csrf": {
      "type": "string"
     }
    },
    "required": [
     "role",
     "csrf",
     "login_required",
     "time"
    ]
   },
   "Stay": {
    "type": "object",
    "properties": {
     "item": {
      "type": "string"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "room": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     },
     "from": {
      "type": "string",
      "format": "date-time"
     },
     "to": {
      "anyOf": [
       {
        "type": "string",
        "format": "date-time"
       },
       {
        "type": "null"
       }
      ]
     }
    },
    "required": [
     "item",
     "presence",
     "room",
     "from",
     "to"
    ]
   },
   "State": {
    "type": "object",
    "properties": {
     "item": {
      "type": "string"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "room": {
      "anyOf": [
       {
        "type": "string"
       },
       {
        "type": "null"
       }
      ]
     },
     "since": {
      "type": "string",
      "format": "date-time"
     }
    },
    "required": [
     "item",
     "presence",
     "room",
     "since"
    ]
   },
   "Survey": {
    "type": "object",
    "properties": {
     "number": {
      "type": "integer"
     },
     "room": {
      "type": "string"
     },
     "item": {
      "type": "string"
     },
     "at": {
      "type": "string",
      "format": "date-time"
     },
     "seconds": {
      "type": "integer"
     },
     "gateways": {
      "type": "integer"
     }
    },
    "required": [
     "number",
     "room",
     "item",
     "at",
     "seconds",
     "gateways"
    ]
   },
   "SurveyProgress": {
    "type": "object",
    "properties": {
     "state": {
      "type": "string",
      "enum": [
       "running",
       "done",
       "discarded",
       "failed"
      ]
     },
     "finished": {
      "type": "boolean"
     },
     "item": {
      "type": "string"
     },
     "room": {
      "type": "string"
     },
     "survey": {
      "$ref": "#/components/schemas/Survey"
     },
     "alike": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "room": {
         "type": "string"
        },
        "other": {
         "type": "string"
        },
        "share": {
         "type": "number"
        }
       }
      }
     },
     "elapsed_s": {
      "type": "integer"
     },
     "for_s": {
      "type": "integer"
     },
     "presence": {
      "type": "string",
      "enum": [
       "home",
       "away",
       "unknown"
      ]
     },
     "located_in": {
      "type": "string"
     },
     "gateway": {
      "type": "string"
     },
     "error": {
      "type": "string"
     }
    },
    "required": [
     "state",
     "finished",
     "item",
     "room"
    ]
   }
  },
  "responses": {
   "Error": {
    "description": "Why the request is refused.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/Error"
      }
     }
    }
   }
  },
  "securitySchemes": {
   "token": {
    "type": "http",
    "scheme": "bearer"
   },
   "session": {
    "type": "apiKey",
    "in": "cookie",
    "name": "forgetmenot"
   }
  }
 }
}

"""#,
]
